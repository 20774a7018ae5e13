import java.io.FileInputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;

/**
 * One thread that computes and lets the kernel work for it, in turns; then many short ones that
 * compute. Prints the CPU time of all.
 *
 *   java Kernel SECONDS
 */
public class Kernel {
    static volatile long sink;

    static void inKernel(InputStream in, byte[] block) throws Exception {
        sink += in.read(block);
    }

    static void inJava(int n) {
        long x = 1;

        for (int i = 0; i < n; i++)
            x = x * 31 + i;
        sink += x;
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        byte[] block = new byte[4 << 20];

        try (InputStream in = new FileInputStream("/dev/zero")) {
            while (System.nanoTime() < end) {
                inKernel(in, block);
                inJava(3_000_000);
            }
        }
        for (int i = 0; i < 50; i++) {
            Thread t = new Thread(() -> inJava(2_000_000), "short");

            t.start();
            t.join();
        }
        System.out.println("main_cpu_ns=" + ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
    }
}
