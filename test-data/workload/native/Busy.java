import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Keeps collectors and compilers busy: java Busy SECONDS. */
public class Busy {
    static volatile Object kept;

    static int work(int seed) {
        Map<String, List<Integer>> map = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            map.computeIfAbsent("key" + (i * seed % 37), k -> new ArrayList<>()).add(i);
        }
        return IntStream.range(0, 100).boxed().collect(Collectors.groupingBy(x -> x % 7)).size()
            + map.values().stream().mapToInt(List::size).sum();
    }

    static class Loader extends ClassLoader {
        final byte[] bytes;

        Loader(byte[] bytes) {
            super(Busy.class.getClassLoader());
            this.bytes = bytes;
        }

        Class<?> define() {
            return defineClass("Busy$Unit", bytes, 0, bytes.length);
        }
    }

    public static class Unit {
        public int run() { // compiled anew in each of its classes
            int x = 0;
            for (int i = 0; i < 3000; i++) {
                x = x * 31 + work2(i);
            }
            return x;
        }

        static int work2(int n) {
            return Integer.toString(n).hashCode() ^ Long.numberOfTrailingZeros(n + 1);
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        byte[] unit;
        try (java.io.InputStream in = Busy.class.getResourceAsStream("Busy$Unit.class")) {
            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
            byte[] buffer = new byte[4096];
            for (int n; (n = in.read(buffer)) > 0;) {
                out.write(buffer, 0, n);
            }
            unit = out.toByteArray();
        }
        List<byte[]> live = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 1; System.nanoTime() - end < 0; i++) {
                    kept = work(i);
                }
            }, "worker-" + t);
            thread.setDaemon(true);
            thread.start();
        }
        for (int i = 0; System.nanoTime() - end < 0; i++) {
            live.add(new byte[20000]);
            if (live.size() > 1000) {
                live.subList(0, 500).clear();
            }
            if (i % 50 == 0) {
                Object o = new Loader(unit).define().getDeclaredConstructor().newInstance();
                for (int k = 0; k < 20; k++) {
                    kept = o.getClass().getMethod("run").invoke(o);
                }
            }
        }
    }
}
