import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;

/**
 * What it costs to make a span current and to close its scope: SpanCost. Prints "NAME NS", the least of rounds, each of so
 * many spans: of one trace that is known, and of traces that were never seen.
 */
public class SpanCost {
    static final int BATCH = 50; // contexts that are made before they become current: they are in the cache, as in a service
    static final int BATCHES = 400;
    static final int ROUNDS = 60;
    static long next = 1;
    static long used;

    /** known: null: each is a new one. */
    static Context[] contexts(Context known) {
        Context[] contexts = new Context[BATCH];

        for (int i = 0; i < BATCH; i++)
            contexts[i] = known == null ? context() : known;
        return contexts;
    }

    static Context context() {
        long n = next++ * 0x9e3779b97f4a7c15L;

        return Context.root().with(Span.wrap(SpanContext.create(String.format("%016x%016x", n, ~n), String.format("%016x", n),
            TraceFlags.getSampled(), TraceState.getDefault())));
    }

    static void measure(String name, Context known) {
        long least = Long.MAX_VALUE;

        for (int round = 0; round < ROUNDS; round++) {
            long time = 0;

            for (int batch = 0; batch < BATCHES; batch++)
                time += makeCurrent(contexts(known));
            least = Math.min(least, time);
        }
        System.out.printf("%s %.1f%n", name, (double) least / BATCHES / BATCH);
    }

    static long makeCurrent(Context[] contexts) {
        long began = System.nanoTime();

        for (Context c : contexts)
            try (Scope s = c.makeCurrent()) {
                used += s == null ? 0 : 1;
            }
        return System.nanoTime() - began;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 30 && args.length > 0; i++) { // the recorder has found OpenTelemetry
            context().makeCurrent().close();
            Thread.sleep(100);
        }
        measure("span-known", context());
        measure("span-new", null);
    }
}
