import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import org.slf4j.MDC;

/**
 * A container that deploys one application again and again: Redeploys N. Each copy has a class loader and libraries of its
 * own, sets contexts, and hands tasks to pools of the container, some of which never run. Prints "alive N": how many class
 * loaders are still there after all of them have been given up.
 */
public class Redeploys {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);

    /** In a class loader of its own. */
    public static final class App {
        private App() {
        }

        static Scope span(int n) {
            return Context.root().with(Span.wrap(SpanContext.create(String.format("%032x", n), String.format("%016x", n),
                TraceFlags.getSampled(), TraceState.getDefault()))).makeCurrent();
        }

        public static void run(int n, ExecutorService pool) throws Exception {
            ExecutorService own = Executors.newSingleThreadExecutor();
            CountDownLatch never = new CountDownLatch(1);

            for (int i = 0; i < 20; i++) {
                MDC.put("user", "user" + n);
                try (Scope s = span(n * 20 + i + 1)) {
                    pool.submit(() -> MDC.get("user")).get();
                    pool.submit(() -> span(n + 1_000_000).close()).get();
                    CompletableFuture.supplyAsync(() -> MDC.get("user")).get();
                    ForkJoinPool.commonPool().submit(() -> MDC.get("user")).get();
                }
                MDC.clear();
            }
            MDC.put("user", "user" + n);
            own.execute(() -> {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    return;
                }
            });
            for (int i = 0; i < 100; i++)
                own.execute(() -> MDC.get("user")); // which do not run any more
            MDC.clear();
            own.shutdownNow();
        }
    }

    static URL[] classPath() throws Exception {
        List<URL> urls = new ArrayList<>();

        for (String part : System.getProperty("jfrkit.deployed").split(":"))
            urls.add(Paths.get(part).toUri().toURL());
        return urls.toArray(new URL[0]);
    }

    static WeakReference<ClassLoader> deploy(int n) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getSystemClassLoader().getParent())) {
            loader.loadClass("Redeploys$App").getMethod("run", int.class, ExecutorService.class).invoke(null, n, POOL);
            return new WeakReference<>(loader);
        }
    }

    public static void main(String[] args) throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();

        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            loaders.add(deploy(i));
            Thread.sleep(i < 10 ? 300 : 20); // the recorder finds the libraries, and the keys
        }
        for (int i = 0; i < 100 && loaders.stream().anyMatch(l -> l.get() != null); i++) {
            System.gc();
            Thread.sleep(50);
        }
        System.out.println("alive " + loaders.stream().filter(l -> l.get() != null).count());
        POOL.shutdown();
    }
}
