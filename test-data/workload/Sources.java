import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.io.File;
import java.io.FileInputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * Sources LIBRARY FOLDER ROUNDS: a program that sets contexts by a library of its own and knows nothing of jfrkit. Each
 * round begins when the file FOLDER/go1 (go2, ...) is there. It reads files, and says which context each read had:
 * "want FILE KEY=VALUE ...". Until a round begins it sets contexts all the time.
 */
public class Sources {
    static File dir;
    static int round;

    public static void read(String name, Object... context) throws Exception {
        File f = new File(dir, round + "-" + name);
        StringBuilder want = new StringBuilder("want " + f.getName());

        Files.write(f.toPath(), new byte[8]);
        try (FileInputStream in = new FileInputStream(f)) {
            in.read(new byte[8]);
        }
        for (int i = 0; i < context.length; i += 2)
            want.append(' ').append(context[i]).append('=').append(context[i + 1]);
        System.out.println(want);
    }

    public interface Library {
        void warm() throws Exception;

        void round() throws Exception;
    }

    static Map<String, String> map(String... values) {
        Map<String, String> map = new HashMap<>();

        for (int i = 0; i < values.length; i += 2)
            map.put(values[i], values[i + 1]);
        return map;
    }

    static final class Slf4j implements Library {
        @Override
        public void warm() {
            org.slf4j.MDC.put("user", "warm");
            org.slf4j.MDC.put("password", "sesame");
            org.slf4j.MDC.put("request", "w");
            org.slf4j.MDC.clear();
        }

        @Override
        public void round() throws Exception {
            org.slf4j.MDC.put("user", "alice");
            read("put", "user", "alice");
            try (org.slf4j.MDC.MDCCloseable c = org.slf4j.MDC.putCloseable("request", "r1")) {
                org.slf4j.MDC.put("password", "sesame");
                read("closeable", "user", "alice", "request", "r1");
            }
            read("closed", "user", "alice");
            org.slf4j.MDC.setContextMap(Collections.singletonMap("request", "r2"));
            read("map", "request", "r2");
            if (!"r2".equals(org.slf4j.MDC.get("request")))
                throw new AssertionError("MDC does not work any more");
            org.slf4j.MDC.put("user", null);
            org.slf4j.MDC.put("user", "\u00e9\ud83d\ude00");
            read("text", "user", "\u00e9\ud83d\ude00", "request", "r2");
            Thread other = new Thread(() -> {
                try {
                    org.slf4j.MDC.put("user", "bob");
                    read("thread", "user", "bob");
                    org.slf4j.MDC.remove("user");
                    read("removed");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            other.start();
            other.join();
            org.slf4j.MDC.clear();
            read("clear");
        }
    }

    /** A value that is set when the recorder stops, and cleared while there is none. */
    static final class Held implements Library {
        Held() {
            org.slf4j.MDC.remove("user"); // the library is loaded, so a recorder that starts finds it at once
        }

        @Override
        public void warm() {
            if (round == 1)
                org.slf4j.MDC.remove("user");
        }

        @Override
        public void round() throws Exception {
            if (round == 1) {
                org.slf4j.MDC.put("user", "held");
                read("held", "user", "held");
            } else if (round == 2) {
                org.slf4j.MDC.clear();
            } else {
                read("later");
            }
        }
    }

    static final class Log4j implements Library {
        @Override
        public void warm() {
            org.apache.logging.log4j.ThreadContext.put("user", "warm");
            org.apache.logging.log4j.ThreadContext.clearAll();
        }

        @Override
        public void round() throws Exception {
            org.apache.logging.log4j.ThreadContext.put("user", "alice");
            read("put", "user", "alice");
            org.apache.logging.log4j.ThreadContext.putAll(map("request", "r1", "other", "x"));
            read("all", "user", "alice", "request", "r1");
            org.apache.logging.log4j.ThreadContext.remove("user");
            read("remove", "request", "r1");
            try (org.apache.logging.log4j.CloseableThreadContext.Instance c =
                org.apache.logging.log4j.CloseableThreadContext.put("user", "bob")) {
                read("closeable", "user", "bob", "request", "r1");
            }
            read("closed", "request", "r1");
            org.apache.logging.log4j.ThreadContext.removeAll(Collections.singleton("request"));
            read("removed");
            org.apache.logging.log4j.ThreadContext.put("user", "alice");
            org.apache.logging.log4j.ThreadContext.clearMap();
            read("clear");
        }
    }

    static final class Jboss implements Library {
        @Override
        public void warm() {
            org.jboss.logmanager.MDC.put("user", "warm");
            org.jboss.logmanager.MDC.clear();
        }

        @Override
        public void round() throws Exception {
            org.jboss.logmanager.MDC.put("user", "alice");
            read("put", "user", "alice");
            org.jboss.logmanager.MDC.putObject("request", "r1");
            read("object", "user", "alice", "request", "r1");
            org.jboss.logmanager.MDC.remove("user");
            read("remove", "request", "r1");
            org.jboss.logmanager.MDC.clear();
            read("clear");
        }
    }

    static final class Spans implements Library, SpanProcessor {
        private static final String CALLER = "ca11e400000000000000000000000001";

        private final Tracer tracer = SdkTracerProvider.builder().addSpanProcessor(this).build().get("sources");

        @Override
        public void warm() throws Exception {
            try (Scope s = tracer.spanBuilder("warm").startSpan().makeCurrent()) {
                Thread.sleep(1);
            }
        }

        static Object[] of(Span span, Object... more) {
            Object[] all = new Object[4 + more.length];

            all[0] = "trace_id";
            all[1] = span.getSpanContext().getTraceId();
            all[2] = "span_id";
            all[3] = span.getSpanContext().getSpanId();
            System.arraycopy(more, 0, all, 4, more.length);
            return all;
        }

        @Override
        public void round() throws Exception {
            Span server = tracer.spanBuilder("GET").setSpanKind(SpanKind.SERVER).startSpan();
            Context handed;

            try (Scope s = server.makeCurrent()) {
                read("server", of(server, "name", "GET"));
                server.setAttribute("http.route", "/orders/{id}");
                server.updateName("GET /orders/{id}");
                read("route", of(server, "name", "GET /orders/{id}", "route", "/orders/{id}"));
                Span query = tracer.spanBuilder("SELECT").startSpan();
                try (Scope b = Baggage.builder().put("user", "alice").build().makeCurrent(); Scope q = query.makeCurrent()) {
                    query.setAttribute("http.route", "not the root's");
                    handed = Context.current();
                    read("query", of(query, "name", "GET /orders/{id}", "route", "/orders/{id}", "user", "alice"));
                }
                read("back", of(server, "name", "GET /orders/{id}", "route", "/orders/{id}"));
                Thread other = new Thread(handed.wrap(() -> {
                    try {
                        read("handed", of(query, "name", "SELECT", "route", "not the root's", "user", "alice"));
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }));
                other.start();
                other.join();
            }
            read("none");
            Span job = tracer.spanBuilder("job").startSpan();
            for (int i = 0; i < 2; i++) {
                try (Scope s = job.makeCurrent()) {
                    read("job" + i, of(job, "name", "job"));
                }
            }
            for (int i = 0; i < 2; i++) { // requests of one span of another process
                Span caller = Span.wrap(SpanContext.createFromRemoteParent(CALLER, "00000000000000c1", TraceFlags.getSampled(),
                    TraceState.getDefault()));
                try (Scope s = caller.makeCurrent()) {
                    read("called" + i, of(caller));
                }
            }
            try (Scope b = Baggage.builder().put("user", "bob").build().makeCurrent()) {
                read("baggage", "user", "bob");
            }
            read("end");
        }

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {
        }

        @Override
        public boolean isStartRequired() {
            return true;
        }

        @Override
        public void onEnd(ReadableSpan span) {
        }

        @Override
        public boolean isEndRequired() {
            return false;
        }
    }

    /** Requests with a user in the MDC and a span inside of another one; most of them read nothing. */
    static final class Often implements Library {
        static final int REQUESTS = 64;
        static int n;

        static Span span(int id) {
            return Span.wrap(SpanContext.createFromRemoteParent(String.format("%032x", n), String.format("%016x", id),
                TraceFlags.getSampled(), TraceState.getDefault()));
        }

        /** reads: a bit for each place that has a read. */
        static void request(String user, int reads) throws Exception {
            Span outer = span(2 * ++n);
            Span inner = span(2 * n + 1);
            Object[] of = {"trace_id", outer.getSpanContext().getTraceId(), "span_id", null, "user", user, "request", "r" + n % 2};

            org.slf4j.MDC.put("user", "carol"); // of whom nothing is recorded
            try (Scope s = outer.makeCurrent()) {
                org.slf4j.MDC.put("user", user);
                org.slf4j.MDC.put("request", "r" + n % 2);
                of[3] = outer.getSpanContext().getSpanId();
                if ((reads & 1) != 0)
                    read("outer" + n, of);
                try (Scope i = inner.makeCurrent()) {
                    of[3] = inner.getSpanContext().getSpanId();
                    if ((reads & 2) != 0)
                        read("inner" + n, of);
                }
                of[3] = outer.getSpanContext().getSpanId();
                if ((reads & 4) != 0)
                    read("again" + n, of);
            }
            org.slf4j.MDC.remove("request");
            org.slf4j.MDC.clear();
        }

        @Override
        public void warm() throws Exception {
            request("warm", 0);
        }

        @Override
        public void round() throws Exception {
            for (int i = 0; i < REQUESTS; i++)
                request(i % 2 == 0 ? "alice" : "bob", i % 8 == 7 ? i / 8 : 0);
        }
    }

    static URL[] classPath() throws Exception {
        String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[path.length];

        for (int i = 0; i < path.length; i++)
            urls[i] = new File(path[i]).toURI().toURL();
        return urls;
    }

    /** slf4j once more, in a loader of its own, in each round a new one. */
    static final class Loaders implements Library {
        private Object make() throws Exception {
            return new URLClassLoader(classPath(), ClassLoader.getSystemClassLoader().getParent()).loadClass("org.slf4j.MDC");
        }

        @Override
        public void warm() throws Exception {
            org.slf4j.MDC.put("user", "warm");
            org.slf4j.MDC.clear();
        }

        @Override
        public void round() throws Exception {
            Class<?> mdc = (Class<?>) make();

            mdc.getMethod("put", String.class, String.class).invoke(null, "user", "alice");
            read("loader", "user", "alice");
            mdc.getMethod("clear").invoke(null);
            read("clear");
        }
    }

    /**
     * OpenTelemetry's SDK in a loader of its own that is slow: SdkSpan has been read and waits for its interface until the
     * first round.
     */
    static final class Slow extends URLClassLoader implements Library {
        private final Thread loading = new Thread(() -> {
            try {
                Class.forName("io.opentelemetry.sdk.trace.SdkSpan", false, this);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        });
        private Library spans;

        Slow() throws Exception {
            super(classPath(), Slow.class.getClassLoader());
            loading.start();
        }

        private static void awaitFirstRound() {
            while (!new File(dir, "go1").exists())
                Thread.yield();
        }

        @Override
        protected Class<?> loadClass(String name, boolean isResolved) throws ClassNotFoundException {
            if (!name.startsWith("io.opentelemetry.sdk.") && !name.equals("Sources$Spans"))
                return super.loadClass(name, isResolved);
            if (name.endsWith(".ReadWriteSpan"))
                awaitFirstRound();
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);

                return loaded != null ? loaded : findClass(name);
            }
        }

        @Override
        public void warm() throws Exception {
            if (spans != null)
                spans.warm();
            else
                Context.current().makeCurrent().close();
        }

        @Override
        public void round() throws Exception {
            if (spans != null) {
                spans.round();
                return;
            }
            loading.join();
            java.lang.reflect.Constructor<?> make = loadClass("Sources$Spans").getDeclaredConstructor();
            make.setAccessible(true);
            spans = (Library) make.newInstance();
        }
    }

    static Library library(String name) throws Exception {
        switch (name) {
        case "slf4j":
            return new Slf4j();
        case "log4j":
            return new Log4j();
        case "jboss":
            return new Jboss();
        case "often":
            return new Often();
        case "held":
            return new Held();
        case "slow":
            return new Slow();
        case "loaders":
            return new Loaders();
        default:
            return new Spans();
        }
    }

    public static void main(String[] args) throws Exception {
        dir = new File(args[1]);

        Library library = library(args[0]);

        System.out.println("ready");
        for (round = 1; round <= Integer.parseInt(args[2]); round++) {
            while (!new File(dir, "go" + round).exists()) {
                library.warm();
                Thread.sleep(10);
            }
            library.round();
            System.out.println("done=" + round);
        }
    }
}
