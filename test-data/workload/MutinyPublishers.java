import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.multi.processors.BroadcastProcessor;
import io.smallrye.mutiny.operators.multi.processors.UnicastProcessor;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.ArrayList;
import java.util.List;

/** Publishers of Mutiny to which a user subscribes, and whose values the next user emits. For {@link Tasks}. */
final class MutinyPublishers {
    static final int READS = 3 + 2 * 8;

    private static final NextUser NEXT = new NextUser();

    private MutinyPublishers() {
    }

    private static void subscribe(Multi<String> values, String user, String way) {
        values.subscribe().with(v -> Tasks.read(user, way));
    }

    static void handOver(String user, String way) {
        List<UniEmitter<? super String>> unis = new ArrayList<>();
        List<MultiEmitter<? super String>> multis = new ArrayList<>();
        BroadcastProcessor<String> broadcast = BroadcastProcessor.create();
        UnicastProcessor<String> unicast = UnicastProcessor.create();
        Uni<String> kept = Uni.createFrom().<String>emitter(unis::add).memoize().indefinitely();

        kept.subscribe().with(v -> Tasks.read(user, way));
        kept.map(String::length).subscribe().with(v -> Tasks.read(user, way));
        Uni.createFrom().<String>emitter(unis::add).subscribe().with(v -> Tasks.read(user, way));
        subscribe(broadcast, user, way);
        subscribe(broadcast.cache(), user, way);
        subscribe(broadcast.broadcast().toAllSubscribers(), user, way);
        subscribe(Multi.createBy().replaying().ofMulti(broadcast), user, way);
        subscribe(unicast, user, way);
        subscribe(Multi.createFrom().<String>emitter(multis::add), user, way);
        subscribe(Multi.createFrom().<String>emitter(multis::add, BackPressureStrategy.LATEST), user, way);
        subscribe(Multi.createFrom().<String>emitter(multis::add, BackPressureStrategy.IGNORE), user, way);
        NEXT.leave(() -> {
            unis.forEach(uni -> uni.complete("value"));
            for (int i = 0; i < 2; i++) {
                broadcast.onNext("value");
                unicast.onNext("value");
                multis.forEach(multi -> multi.emit("value"));
            }
            broadcast.onComplete();
            unicast.onComplete();
            multis.forEach(MultiEmitter::complete);
        });
    }

    /** After the last user. */
    static void end() {
        NEXT.leave(null);
    }
}
