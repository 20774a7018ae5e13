package jfrkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.TextResult;

/**
 * A profiler for JMH: records each fork of a benchmark, and writes a flame graph of it.
 *
 * <pre>
 * java -cp benchmarks.jar:jfrkit.jar org.openjdk.jmh.Main -prof "jfrkit.Jmh:dir=out;options=cpu=1ms,alloc=64k"
 * </pre>
 *
 * dir: the folder of the recordings and pages, default {@code jmh-jfrkit}. options: those of the agent, which commas
 * separate, default {@code cpu=1ms}. A recording is of the whole fork, warm-up included.
 */
public final class Jmh implements ExternalProfiler {
    private static final int LINES = 12; // of the table of methods

    private Path folder = Paths.get("jmh-jfrkit");
    private String options = "cpu=1ms";
    private Path file; // of the fork that runs

    /** Called by JMH with what follows the name of this class. */
    public Jmh(String words) {
        for (String word : words.split(";")) {
            if (word.startsWith("dir="))
                folder = Paths.get(word.substring(4));
            else if (word.startsWith("options="))
                options = word.substring(8);
            else if (!word.isEmpty())
                throw new IllegalArgumentException("jfrkit.Jmh: '" + word + "': use dir=FOLDER or options=OPTION,... between semicolons");
        }
    }

    public Jmh() {
        this("");
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
        return Collections.emptyList();
    }

    @Override
    public Collection<String> addJVMOptions(BenchmarkParams params) {
        try {
            Files.createDirectories(folder);
            file = unused(params.id().replaceAll("[^A-Za-z0-9_.-]", "_"));
            return Collections.singletonList("-agentpath:" + Bundle.agent() + "=file=" + file
                + ",quiet," + options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A name that no file has: recordings of earlier runs stay. */
    private Path unused(String name) {
        int n = 1;

        while (Files.exists(folder.resolve(name + "-" + n + ".jfr")))
            n++;
        return folder.resolve(name + "-" + n + ".jfr").toAbsolutePath();
    }

    @Override
    public void beforeTrial(BenchmarkParams params) {
    }

    @Override
    public Collection<? extends Result> afterTrial(BenchmarkResult result, long pid, File out, File err) {
        String page = file.toString().replaceAll("\\.jfr$", ".html");
        String text;

        try {
            List<String> methods = Bundle.run(Arrays.asList("top", file.toString()));

            Bundle.run(Arrays.asList("flame", "-q", "-o", page, file.toString()));
            text = String.join("\n", methods.subList(0, Math.min(LINES, methods.size()))) + "\n\nRecording: " + file + "\nPage: " + page + "\n";
        } catch (IOException e) {
            text = "jfrkit: " + e.getMessage() + "\n";
        }
        return Collections.singletonList(new TextResult(text, "jfrkit"));
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }

    @Override
    public String getDescription() {
        return "Recordings and flame graphs by jfrkit";
    }
}
