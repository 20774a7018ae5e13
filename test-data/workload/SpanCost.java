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
    static final int N = 20_000;
    static final int ROUNDS = 60;
    static long next = 1;
    static long used;

    static Context[] contexts(boolean isNew) {
        Context[] contexts = new Context[N];
        Context known = context();

        for (int i = 0; i < N; i++)
            contexts[i] = isNew ? context() : known;
        return contexts;
    }

    static Context context() {
        long n = next++ * 0x9e3779b97f4a7c15L;

        return Context.root().with(Span.wrap(SpanContext.create(String.format("%016x%016x", n, ~n), String.format("%016x", n),
            TraceFlags.getSampled(), TraceState.getDefault())));
    }

    static void measure(String name, boolean isNew) {
        long least = Long.MAX_VALUE;

        for (int round = 0; round < ROUNDS; round++) {
            Context[] contexts = contexts(isNew);
            long began = System.nanoTime();

            for (Context c : contexts)
                try (Scope s = c.makeCurrent()) {
                    used += s == null ? 0 : 1;
                }
            least = Math.min(least, System.nanoTime() - began);
        }
        System.out.printf("%s %.1f%n", name, (double) least / N);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 30 && args.length > 0; i++) { // the recorder has found OpenTelemetry
            context().makeCurrent().close();
            Thread.sleep(100);
        }
        measure("span-known", false);
        measure("span-new", true);
    }
}
