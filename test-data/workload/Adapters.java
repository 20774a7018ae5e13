import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.io.File;
import java.io.FileInputStream;
import java.nio.file.Files;
import java.util.Collections;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import jfrkit.Mdc;
import jfrkit.OpenTelemetry;
import org.slf4j.MDC;

/** What libraries know of a thread, and files read meanwhile: Adapters FOLDER. Prints what is to be
 *  found as "NAME USER REQUEST TRACE SPAN". */
public class Adapters {
    static File dir;

    static void read(String name, String user, String request, Span span) throws Exception {
        File f = new File(dir, name);

        Files.write(f.toPath(), new byte[8]);
        try (FileInputStream in = new FileInputStream(f)) {
            in.read(new byte[8]);
        }
        System.out.println("want " + name + " " + user + " " + request + " "
            + (span == null ? "null null" : span.getSpanContext().getTraceId() + " " + span.getSpanContext().getSpanId()));
    }

    static void mdc() throws Exception {
        MDC.put("user", "alice");
        read("put", "alice", null, null);
        try (MDC.MDCCloseable c = MDC.putCloseable("request", "r1")) {
            MDC.put("other", "not ours");
            read("closeable", "alice", "r1", null);
        }
        read("closed", "alice", null, null);
        MDC.setContextMap(Collections.singletonMap("request", "r2"));
        read("map", null, "r2", null);
        if (!"r2".equals(MDC.get("request")))
            throw new AssertionError("the adapter behind does not work any more");
        MDC.clear();
        read("clear", null, null, null);
    }

    /** Newer releases make no spans that nobody looks at. */
    static final class Looks implements SpanProcessor {
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

    static void otel() throws Exception {
        Tracer tracer = SdkTracerProvider.builder().addSpanProcessor(new Looks()).build().get("test");
        Span outer = tracer.spanBuilder("outer").startSpan();
        if (!outer.getSpanContext().isValid())
            throw new AssertionError("no span");
        ExecutorService pool = Context.taskWrapping(Executors.newSingleThreadExecutor());

        try (Scope s = outer.makeCurrent()) {
            read("outer", null, null, outer);
            Span inner = tracer.spanBuilder("inner").startSpan();
            try (Scope t = inner.makeCurrent()) {
                read("inner", null, null, inner);
                pool.submit(() -> {
                    read("pool", null, null, inner);
                    return null;
                }).get();
            }
            read("outer-again", null, null, outer);
        }
        read("no-span", null, null, null);
        pool.shutdown();
        pool.awaitTermination(5, TimeUnit.SECONDS);
    }

    public static void main(String[] args) throws Exception {
        dir = new File(args[0]);
        dir.mkdirs();
        MDC.put("user", "early");
        System.out.println("mdc=" + Mdc.install("mdc", "user", "request") + "\notel=" + OpenTelemetry.install());
        read("before", "early", null, null);
        mdc();
        otel();
    }
}
