import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tasks that an event loop or a timer of Netty runs later. For {@link Tasks}. */
final class NettyTimers {
    static final int READS = 6;

    private static final DefaultEventExecutor LOOP = new DefaultEventExecutor();
    private static final HashedWheelTimer WHEEL = new HashedWheelTimer(1, TimeUnit.MILLISECONDS);

    private NettyTimers() {
    }

    /** Netty makes a periodic task of its own, which stays: not with the context of a user. */
    static void begin() {
        LOOP.execute(() -> { });
    }

    static void handOver(String user, String way) throws InterruptedException {
        CountDownLatch reads = new CountDownLatch(READS);
        CountDownLatch periodic = new CountDownLatch(3);
        Runnable read = () -> {
            Tasks.read(user, way);
            reads.countDown();
        };

        LOOP.execute(() -> LOOP.schedule(read, 1, TimeUnit.MILLISECONDS)); // by the loop itself
        LOOP.schedule(read, 1, TimeUnit.MILLISECONDS);
        WHEEL.newTimeout(timeout -> read.run(), 1, TimeUnit.MILLISECONDS);
        Future<?> rate = LOOP.scheduleAtFixedRate(() -> {
            if (periodic.getCount() > 0)
                read.run();
            periodic.countDown();
        }, 1, 1, TimeUnit.MILLISECONDS);

        reads.await();
        rate.cancel(false);
    }

    /** After the last user. */
    static void end() {
        LOOP.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        WHEEL.stop();
    }
}
