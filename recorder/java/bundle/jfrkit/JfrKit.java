package jfrkit;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The recorder in one jar, with its program and agent.
 *
 * <pre>
 * java -jar jfrkit.jar attach 4711                        // each verb of the program
 * java -javaagent:jfrkit.jar="-o app.jfr --cpu 10ms" ...  // records from the start
 * String file = JfrKit.start("-o", "app.jfr");            // records this JVM; options of jfrkit start
 * JfrKit.stop();
 * </pre>
 *
 * A process of its own asks this JVM, as {@code jfrkit start} does, so the JVM must allow that others attach. Methods throw
 * IOException with the program's message.
 */
public final class JfrKit {
    private JfrKit() {
    }

    /** Begins a recording in this JVM. Returns the file. */
    public static String start(String... options) throws IOException {
        return counters("start", options).get("file");
    }

    /** Ends the recording. Returns the file. */
    public static String stop() throws IOException {
        return counters("stop").get("file");
    }

    /** Writes what was recorded so far to a file, and continues. */
    public static void dump(String file) throws IOException {
        counters("dump", "-o", file);
    }

    /** State, file, samples, lost and more, as {@code jfrkit status -v} prints them. */
    public static Map<String, String> status() throws IOException {
        return counters("status");
    }

    /** What the program prints after it has asked this JVM. */
    private static Map<String, String> counters(String verb, String... options) throws IOException {
        List<String> words = new ArrayList<>(Arrays.asList(verb, "-v"));
        Map<String, String> found = new LinkedHashMap<>();

        words.addAll(Arrays.asList(options));
        words.add(new File("/proc/self").getCanonicalFile().getName());
        for (String line : Bundle.run(words)) {
            String[] pair = line.trim().split(" +", 2);
            found.put(pair[0], pair.length > 1 ? pair[1] : "");
        }
        return found;
    }

    /** java -jar jfrkit.jar VERB ... */
    public static void main(String[] args) throws Exception {
        System.exit(Bundle.process(Arrays.asList(args)).inheritIO().start().waitFor());
    }

    /** -javaagent:jfrkit.jar=OPTIONS. The program starts even if it cannot be recorded. */
    public static void premain(String options, Instrumentation unused) {
        try {
            start(options == null || options.trim().isEmpty() ? new String[0] : options.trim().split(" +"));
        } catch (IOException | RuntimeException e) {
            System.err.println("jfrkit: not recording: " + e.getMessage());
        }
    }

    /** The same for a running JVM. */
    public static void agentmain(String options, Instrumentation unused) {
        premain(options, unused);
    }
}
