import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import scala.Function1;
import scala.concurrent.ExecutionContext;
import scala.concurrent.ExecutionContext$;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.concurrent.Promise$;

/** What a user does with a future of Scala that the next user completes, for {@link Tasks}. */
final class ScalaFutures {
    static final int READS = 6;

    private static final class Pending {
        final Promise<String> promise;
        final CountDownLatch reads;

        Pending(Promise<String> promise, CountDownLatch reads) {
            this.promise = promise;
            this.reads = reads;
        }
    }

    private static final AtomicReference<Pending> PENDING = new AtomicReference<>();
    private static final ExecutionContext IN_PLACE = in(Runnable::run);
    private static final ExecutionContext LINKED = in(Tasks.POOL);
    private static final ExecutionContext CACHED = in(Tasks.CACHED);
    private static final ExecutionContext FORKS = in(Tasks.FORKS);

    private ScalaFutures() {
    }

    private static ExecutionContext in(Executor executor) {
        return ExecutionContext$.MODULE$.fromExecutor(executor);
    }

    private static void read(String user, String way, CountDownLatch reads) {
        Tasks.read(user, way);
        reads.countDown();
    }

    static void handOver(String user, String way) throws InterruptedException {
        Promise<String> p = Promise$.MODULE$.apply();
        Future<String> f = p.future();
        CountDownLatch reads = new CountDownLatch(READS);
        Function1<String, String> function = value -> {
            read(user, way, reads);
            return value;
        };

        f.map(function, IN_PLACE).map(function, CACHED);
        f.map(function, LINKED);
        f.map(function, FORKS);
        f.onComplete(value -> {
            read(user, way, reads);
            return null;
        }, CACHED);
        f.flatMap(value -> {
            read(user, way, reads);
            return f;
        }, IN_PLACE);
        complete(PENDING.getAndSet(new Pending(p, reads)));
    }

    /** All that waits for the promise runs, perhaps on other threads. */
    private static void complete(Pending pending) throws InterruptedException {
        if (pending == null)
            return;
        pending.promise.success("value");
        pending.reads.await();
    }

    /** After the last user. */
    static void end() throws InterruptedException {
        complete(PENDING.get());
    }
}
