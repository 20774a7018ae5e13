import java.util.concurrent.Callable;
import java.util.concurrent.StructuredTaskScope;
import jfrkit.Scope;
import jfrkit.Snapshot;

/** Structured concurrency and scoped values, as JDK 25 has them with --enable-preview: see Handover. */
public class Structured {
    static final ScopedValue<String> NAME = ScopedValue.newInstance();

    static String task(String where, String who) throws InterruptedException {
        Handover.who(where, who);
        Thread.sleep(1);
        Handover.who(where + ", slept", who);
        return who;
    }

    static String fork() throws InterruptedException {
        try (Scope s = Handover.TYPE.open(NAME.get()); var scope = StructuredTaskScope.open()) {
            Snapshot x = Snapshot.capture();
            for (int i = 0; i < 4; i++) {
                scope.fork(x.wrap((Callable<String>) () -> task("forked, wrapped", NAME.get())));
                scope.fork(() -> task("forked", null));
            }
            scope.join();
            return task("joined", NAME.get());
        }
    }

    public static void run() throws Exception {
        for (int i = 0; i < 50; i++)
            ScopedValue.where(NAME, "structured-" + i).call(Structured::fork);
    }
}
