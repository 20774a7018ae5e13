import java.lang.reflect.Field;

/** Threads that work, and after a second one that writes where nothing is: the VM reports a fatal error. */
public class Crash {
    static volatile long sum;

    /* Without garbage: threads that a safepoint stops fault, too. */
    static long work(int depth) {
        long x = depth;
        for (int i = 0; i < 200; i++) {
            x = x * 31 + Math.max(i, x >>> 7);
        }
        return depth > 0 ? x + work(depth - 1) : x;
    }

    public static void main(String[] args) throws Exception {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        for (int i = 0; i < 4; i++) {
            Thread worker = new Thread(() -> {
                while (true) {
                    sum += work(60);
                }
            }, "worker-" + i);
            worker.setDaemon(true);
            worker.start();
        }
        Thread.sleep(1000);
        System.out.println("crashing=" + System.currentTimeMillis());
        System.out.flush();
        type.getMethod("putAddress", long.class, long.class).invoke(unsafe, 8L, 1L);
    }
}
