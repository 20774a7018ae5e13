import org.slf4j.MDC;
import reactor.core.publisher.Sinks;

/**
 * What it costs that a subscriber of Reactor has the context of the thread that subscribed: SignalCost [USER]. Prints
 * "signal NS", the time of the fastest of many rounds for a value that a thread without a context emits. With USER, that is
 * in the MDC of the thread when it subscribes.
 */
public class SignalCost {
    static final int N = 100_000;
    static final int ROUNDS = 100;
    static long sum;

    static long emit(Sinks.Many<Integer> sink) {
        long began = System.nanoTime();

        for (int i = 0; i < N; i++)
            sink.tryEmitNext(i);
        return System.nanoTime() - began;
    }

    public static void main(String[] args) throws Exception {
        Sinks.Many<Integer> sink = Sinks.unsafe().many().multicast().directBestEffort();
        long least = Long.MAX_VALUE;

        for (int i = 0; i < 30 && args.length > 0; i++) { // the recorder has found the keys
            MDC.put("user", args[0]);
            Thread.sleep(100);
        }
        sink.asFlux().subscribe(n -> sum += n);
        MDC.clear();
        for (int round = 0; round < ROUNDS; round++)
            least = Math.min(least, emit(sink));
        System.out.printf("signal %.1f%n", (double) least / N);
    }
}
