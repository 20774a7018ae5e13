import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A fixed amount of real work: javac compiles the same generated sources, over and over. Deep
 * stacks, many methods, much garbage, a busy JIT; no input and no output.
 *
 * java Compile [ROUNDS [CLASSES]]      JDK 8 or later
 */
public class Compile {
    static final class Source extends SimpleJavaFileObject {
        final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Throws away what is written. */
    static final class Nowhere extends SimpleJavaFileObject {
        Nowhere(String name) {
            super(URI.create("mem:///" + name + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int b) {
                }

                @Override
                public void write(byte[] b, int from, int n) {
                }
            };
        }
    }

    static final class Manager extends ForwardingJavaFileManager<JavaFileManager> {
        int classes;

        Manager(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
                                                   FileObject sibling) {
            classes++;
            return new Nowhere(name);
        }
    }

    static Source source(int i, int n) {
        StringBuilder s = new StringBuilder("import java.util.*;\nimport java.util.function.*;\n");
        s.append("public class C" + i + " implements Comparable<C" + i + "> {\n");
        s.append("  final Map<String, List<C" + (i + 1) % n + ">> next = new HashMap<>();\n  int order;\n");
        s.append("  public int compareTo(C" + i + " o) { return Integer.compare(order, o.order); }\n");
        for (int m = 0; m < 8; m++) {
            s.append("  <T extends Comparable<T>> T most" + m + "(Collection<? extends T> all, Function<T, Integer> key) {\n");
            s.append("    T best = null;\n    for (T t : all)\n");
            s.append("      if (best == null || key.apply(t) > key.apply(best) || t.compareTo(best) > " + m + ") best = t;\n");
            s.append("    next.computeIfAbsent(\"k\" + all.size(), k -> new ArrayList<>()).add(new C" + (i + 1) % n + "());\n");
            s.append("    switch (order + " + m + ") { case 1: return best; case 7: throw new IllegalStateException(\"x\" + best); default: return best; }\n");
            s.append("  }\n");
        }
        s.append("  static class Inner { long a = " + i + "L; double b = a * 1.5; String c() { return a + \":\" + b; } }\n}\n");
        return new Source("C" + i, s.toString());
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20, n = args.length > 1 ? Integer.parseInt(args[1]) : 300;
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        List<Source> sources = new ArrayList<>();
        for (int i = 0; i < n; i++)
            sources.add(source(i, n));
        Manager files = new Manager(javac.getStandardFileManager(null, null, null));
        for (int round = 0; round < rounds; round++)
            if (!javac.getTask(null, files, null, Arrays.asList("-proc:none", "-nowarn"), null, sources).call())
                System.exit(1);
        System.out.println("classes=" + files.classes);
        System.out.println("process_cpu_ns=" + ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime());
    }
}
