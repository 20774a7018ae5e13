import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.management.ManagementFactory;

/**
 * Classes that come and go a known number of times: the same class by as many loaders, each of
 * which is forgotten at once. How it ends is the second argument. Prints one "name=value" a line.
 *
 *   java Classes LOADERS [exit|halt|return]
 */
public class Classes {
    /** Is loaded again and again. */
    public static class Passing implements Runnable {
        static int times;

        @Override
        public void run() {
            times++;
        }
    }

    static final class Loader extends ClassLoader {
        private final byte[] bytes;

        Loader(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        Class<?> define() {
            return defineClass("Classes$Passing", bytes, 0, bytes.length);
        }
    }

    private static byte[] bytes() throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();

        try (InputStream in = Classes.class.getResourceAsStream("Classes$Passing.class")) {
            byte[] block = new byte[4096];
            int n;

            while ((n = in.read(block)) > 0)
                all.write(block, 0, n);
        }
        return all.toByteArray();
    }

    private static long unloaded() {
        return ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount();
    }

    public static void main(String[] args) throws Exception {
        int loaders = Integer.parseInt(args[0]);
        long end = System.nanoTime() + 20_000_000_000L;
        byte[] bytes = bytes();

        for (int i = 0; i < loaders; i++)
            ((Runnable) new Loader(bytes).define().getDeclaredConstructor().newInstance()).run();
        while (unloaded() < loaders && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(50);
        }
        Thread.sleep(500); // whoever tells of it may do so a little later
        System.out.println("unloaded=" + unloaded());
        if (args.length > 1 && args[1].equals("exit"))
            System.exit(3);
        if (args.length > 1 && args[1].equals("halt"))
            Runtime.getRuntime().halt(4);
    }
}
