import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Computes, and makes the VM catch faults of its own: null checks that compiled code leaves to the
 * processor, and stacks that overflow. Goes on for SECONDS, and until it has had CPU_MS of CPU time
 * on a busy machine. Prints pid=N, then how many it has seen of each.
 *
 *   java Faults SECONDS [CPU_MS]
 */
public class Faults {
    static int[][] arrays = {{1}, null};
    static volatile long sink;

    static int length(int i) {
        return arrays[i].length;
    }

    static int deep(int n) {
        return n + deep(n + 1);
    }

    static void spin() {
        long x = 1;

        for (int i = 0; i < 200_000; i++)
            x = x * 31 + i;
        sink += x;
    }

    public static void main(String[] args) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long wanted = args.length > 1 ? Long.parseLong(args[1]) * 1_000_000 : 0;
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        long turns = 0, nulls = 0, overflows = 0;

        System.out.println("pid=" + ManagementFactory.getRuntimeMXBean().getName().split("@")[0]);
        for (; System.nanoTime() < end || threads.getCurrentThreadCpuTime() < wanted; turns++) {
            for (int i = 0; i < 100; i++)
                sink += length(0);
            try {
                sink += length(1);
            } catch (NullPointerException e) {
                nulls++;
            }
            if (turns % 200 == 0)
                try {
                    sink += deep(0);
                } catch (StackOverflowError e) {
                    overflows++;
                }
            spin();
        }
        System.out.println("missed=" + (turns - nulls + (turns + 199) / 200 - overflows));
        System.out.println("turns=" + turns);
    }
}
