import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jfrkit.EventType;
import jfrkit.EventType.Definition;
import jfrkit.Field;

/**
 * The same types of events by the JDK's annotations and by ours, used the same way: Twins jdk or
 * Twins jfrkit. Prints what each type and event says of itself; what is recorded depends on the
 * settings alone.
 */
public class Twins {
    static final int LONG_MS = 40;

    /** An event of either kind. */
    interface Twin {
        boolean isEnabled();

        void begin();

        void end();

        boolean shouldCommit();

        void commit(int n);

        void register(boolean yes);
    }

    // --- the JDK's ---

    @Category({"Twins", "Of two"})
    abstract static class Base extends jdk.jfr.Event implements Twin {
        @Label("Number")
        int n;

        @Override
        public void commit(int number) {
            n = number;
            commit();
        }

        @Override
        public void register(boolean yes) {
            if (yes)
                FlightRecorder.register(getClass());
            else
                FlightRecorder.unregister(getClass());
        }
    }

    @Name("twin.Plain")
    @Label("Plain")
    static class Plain extends Base {
    }

    @Name("twin.Off")
    @Enabled(false)
    static class Off extends Base {
    }

    @Name("twin.OffThenOn")
    @Enabled(false)
    static class OffThenOn extends Base {
    }

    @Name("twin.OnThenOff")
    @Enabled(true)
    static class OnThenOff extends Base {
    }

    @Name("twin.NoStack")
    @StackTrace(false)
    static class NoStack extends Base {
    }

    @Name("twin.NoStackThenStack")
    @StackTrace(false)
    static class NoStackThenStack extends Base {
    }

    @Name("twin.StackThenNone")
    @StackTrace(true)
    static class StackThenNone extends Base {
    }

    @Name("twin.Slow")
    @Threshold("20 ms")
    static class Slow extends Base {
    }

    @Name("twin.SlowThenAll")
    @Threshold("20 ms")
    static class SlowThenAll extends Base {
    }

    @Name("twin.AllThenSlow")
    static class AllThenSlow extends Base {
    }

    @Name("twin.Unregistered")
    @Registered(false)
    static class Unregistered extends Base {
    }

    @Name("twin.RegisteredLater")
    @Registered(false)
    static class RegisteredLater extends Base {
    }

    @Name("twin.UnregisteredLater")
    @Registered(true)
    static class UnregisteredLater extends Base {
    }

    // --- ours ---

    static final class Own implements Twin {
        private final EventType type;
        private jfrkit.Event event;

        Own(EventType type) {
            this.type = type;
        }

        @Override
        public boolean isEnabled() {
            return type.isEnabled();
        }

        @Override
        public void begin() {
            event = type.begin();
        }

        @Override
        public void end() {
            event.end();
        }

        @Override
        public boolean shouldCommit() {
            return event.shouldCommit();
        }

        @Override
        public void commit(int n) {
            event.set(0, n).commit();
        }

        @Override
        public void register(boolean yes) {
            if (yes)
                type.register();
            else
                type.unregister();
        }
    }

    static Definition define(String name) {
        return EventType.define("twin." + name).category("Twins", "Of two").fields(Field.ofInt("n").label("Number"));
    }

    static Supplier<Twin> own(Definition d) {
        EventType type = d.build();

        return () -> new Own(type);
    }

    // --- what is done with both ---

    static class Case {
        final String name;
        final Supplier<? extends Twin> twin;

        Case(String name, Supplier<? extends Twin> theirs, Definition ours, boolean isOurs) {
            this.name = name;
            twin = isOurs ? own(ours) : theirs;
        }
    }

    static List<Case> cases(boolean o) {
        List<Case> all = new ArrayList<>();

        all.add(new Case("Plain", Plain::new, define("Plain").label("Plain"), o));
        all.add(new Case("Off", Off::new, define("Off").enabled(false), o));
        all.add(new Case("OffThenOn", OffThenOn::new, define("OffThenOn").enabled(false), o));
        all.add(new Case("OnThenOff", OnThenOff::new, define("OnThenOff").enabled(true), o));
        all.add(new Case("NoStack", NoStack::new, define("NoStack").stackTrace(false), o));
        all.add(new Case("NoStackThenStack", NoStackThenStack::new, define("NoStackThenStack").stackTrace(false), o));
        all.add(new Case("StackThenNone", StackThenNone::new, define("StackThenNone").stackTrace(true), o));
        all.add(new Case("Slow", Slow::new, define("Slow").threshold(20_000_000), o));
        all.add(new Case("SlowThenAll", SlowThenAll::new, define("SlowThenAll").threshold(20_000_000), o));
        all.add(new Case("AllThenSlow", AllThenSlow::new, define("AllThenSlow"), o));
        all.add(new Case("Unregistered", Unregistered::new, define("Unregistered").registered(false), o));
        all.add(new Case("RegisteredLater", RegisteredLater::new, define("RegisteredLater").registered(false), o));
        all.add(new Case("UnregisteredLater", UnregisteredLater::new, define("UnregisteredLater").registered(true), o));
        return all;
    }

    /** One that lasts, or ends as soon as it began; by whom is seen in its stack. */
    static void one(Case c, int n, boolean isLong) throws InterruptedException {
        Twin t = c.twin.get();

        t.begin();
        if (isLong)
            Thread.sleep(LONG_MS);
        t.end();
        System.out.println(c.name + " " + n + " enabled=" + t.isEnabled() + " should=" + t.shouldCommit());
        t.commit(n);
    }

    /** What comes between end and commit is not part of it; the end is told as a bound in ns. */
    static void ended(Case c, int n) throws InterruptedException {
        Twin t = c.twin.get();
        long began = System.nanoTime();

        t.begin();
        t.end();
        long took = System.nanoTime() - began;
        Thread.sleep(LONG_MS + took / 1_000_000);
        t.commit(n);
        System.err.println("bound=" + took);
    }

    public static void main(String[] args) throws Exception {
        List<Case> all = cases(args[0].equals("jfrkit"));

        for (Case c : all) {
            if (c.name.equals("RegisteredLater")) {
                one(c, 0, false);
                c.twin.get().register(true);
            }
            one(c, 1, false);
            one(c, 2, true);
            one(c, 3, false);
            if (c.name.equals("UnregisteredLater")) {
                c.twin.get().register(false);
                one(c, 4, false);
            }
        }
        ended(all.get(0), 9);
    }
}
