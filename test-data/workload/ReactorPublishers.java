import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;
import reactor.pool.Pool;
import reactor.pool.PoolBuilder;
import reactor.pool.PooledRef;

/** Publishers of Reactor to which a user subscribes, and whose values the next user emits. For {@link Tasks}. */
final class ReactorPublishers {
    static final int OF_ONE = 11;
    static final int OF_MANY = 20;

    private static final NextUser ONE = new NextUser();
    private static final NextUser MANY = new NextUser();
    private static final Sinks.Many<String> BUS = Sinks.many().multicast().directBestEffort();

    private ReactorPublishers() {
    }

    /** Those with one value, which a subscriber waits for. */
    static void ofOne(String user, String way) {
        Sinks.One<String> one = Sinks.one();
        Sinks.Empty<String> empty = Sinks.empty();
        AtomicReference<MonoSink<String>> created = new AtomicReference<>();
        Mono<String> value = one.asMono();
        Mono<String> failing = empty.asMono();
        Pool<String> pool = PoolBuilder.from(Mono.just("connection")).sizeBetween(0, 1).buildPool();
        PooledRef<String> borrowed = pool.acquire().block();

        value.map(v -> seen(user, way)).subscribe();
        value.cache().map(v -> seen(user, way)).subscribe();
        value.cache(Duration.ofMillis(1)).map(v -> seen(user, way)).subscribe();
        value.cacheInvalidateIf(String::isEmpty).map(v -> seen(user, way)).subscribe();
        value.cacheInvalidateWhen(v -> Mono.never()).map(v -> seen(user, way)).subscribe();
        value.share().map(v -> seen(user, way)).subscribe();
        failing.doOnError(v -> seen(user, way)).subscribe(v -> { }, v -> { });
        failing.cache().onErrorResume(v -> Mono.just(seen(user, way))).subscribe();
        Mono.<String>create(created::set).map(v -> seen(user, way)).subscribe();
        Mono.fromFuture(one.asMono().toFuture()).map(v -> seen(user, way)).subscribe();
        pool.acquire().map(v -> seen(user, way)).subscribe();
        ONE.leave(() -> {
            one.tryEmitValue("value").orThrow();
            empty.tryEmitError(new IllegalStateException()).orThrow();
            created.get().success("value");
            borrowed.release().subscribe();
        });
    }

    /** Those with many values. */
    static void ofMany(String user, String way) {
        List<Sinks.Many<String>> sinks = new ArrayList<>();
        List<FluxSink<String>> created = new ArrayList<>();

        sinks.add(Sinks.many().multicast().onBackpressureBuffer());
        sinks.add(Sinks.many().multicast().directBestEffort());
        sinks.add(Sinks.many().replay().all());
        sinks.add(Sinks.many().replay().limit(2));
        sinks.add(Sinks.many().replay().limit(Duration.ofHours(1)));
        sinks.add(Sinks.many().unicast().onBackpressureBuffer());
        sinks.add(Sinks.many().unicast().onBackpressureError());
        for (Sinks.Many<String> sink : sinks)
            sink.asFlux().map(v -> seen(user, way)).subscribe();
        sinks.get(1).asFlux().publish().autoConnect().map(v -> seen(user, way)).subscribe();
        Flux.<String>create(created::add).map(v -> seen(user, way)).subscribe();
        Flux.<String>create(created::add, FluxSink.OverflowStrategy.LATEST).map(v -> seen(user, way)).subscribe();
        MANY.leave(() -> {
            for (int i = 0; i < OF_MANY / 10; i++) {
                for (Sinks.Many<String> sink : sinks)
                    sink.tryEmitNext("value").orThrow();
                for (FluxSink<String> sink : created)
                    sink.next("value");
            }
            for (Sinks.Many<String> sink : sinks)
                sink.tryEmitComplete().orThrow();
            for (FluxSink<String> sink : created)
                sink.complete();
        });
    }

    /** A subscriber without a user handles what users emit. */
    static void begin(String way) {
        BUS.asFlux().subscribe(user -> Tasks.read(user, way));
    }

    static void emit(String user, String way) {
        synchronized (BUS) {
            BUS.tryEmitNext(user).orThrow();
        }
    }

    private static String seen(String user, String way) {
        Tasks.read(user, way);
        return user;
    }

    /** After the last user. */
    static void end() {
        ONE.leave(null);
        MANY.leave(null);
    }
}
