import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import jfrkit.ContextType;
import jfrkit.Event;
import jfrkit.EventType;
import jfrkit.Field;
import jfrkit.Scope;
import jfrkit.Unit;

/** Programs that record events of their own and know which: CustomEvents MODE ARGUMENT... */
public class CustomEvents {
    static EventType count() {
        return EventType.define("test.Count").label("Count").category("Test", "Sums")
            .fields(Field.ofInt("thread"), Field.ofLong("n"), Field.ofString("text")).build();
    }

    /** A type with a field of each kind, and of most meanings. */
    static EventType every() {
        return EventType.define("test.Every").label("Every Kind").description("All that there is")
            .category("Test")
            .fields(Field.ofBoolean("flag").label("Flag"),
                Field.ofByte("small").description("A byte"), Field.ofShort("short_"),
                Field.ofChar("letter"), Field.ofInt("number").unit(Unit.BITS),
                Field.ofLong("span").unit(Unit.MILLISECONDS),
                Field.ofLong("when").unit(Unit.TIMESTAMP_MILLIS),
                Field.ofLong("size").unit(Unit.BYTES), Field.ofLong("address").unit(Unit.ADDRESS),
                Field.ofInt("rate").unit(Unit.HERTZ), Field.ofFloat("share").unit(Unit.PERCENTAGE),
                Field.ofDouble("real").experimental(), Field.ofString("text"),
                Field.ofThread("other"), Field.ofClass("what"),
                Field.ofLong("unsigned_").unsigned(), Field.ofString("nothing"))
            .build();
    }

    static void commitEvery(EventType type) {
        type.begin().set(0, true).set(1, (byte) -7).set(2, (short) -700).set(3, '\u00e4')
            .set(4, -70000).set(5, 1500).set(6, 1700000000000L).set(7, 1L << 40).set(8, 0xcafeL)
            .set(9, 50).set(10, 0.25f).set(11, -1e100)
            .set(12, "\u00e4\u20ac\ud83d\ude00 </script>\n").set(13, Thread.currentThread())
            .set(14, String[].class).set(15, -1L).set(16, (String) null).commit();
    }

    /** n events from each of `threads` threads, at once. */
    static void many(int threads, int n, ThreadFactory factory) throws Exception {
        EventType type = count();
        List<Thread> all = new ArrayList<>();

        for (int t = 0; t < threads; t++) {
            int number = t;
            all.add(factory.newThread(() -> {
                for (int i = 0; i < n; i++) {
                    type.begin().set(0, number).set(1, i).set(2, "event " + i).commit();
                    if (i % 5 == 4)
                        pause(1);
                }
            }));
        }
        for (Thread t : all)
            t.start();
        for (Thread t : all)
            t.join();
        System.out.println("events=" + threads * n);
    }

    /** Events of C: from this thread, and n of each of `threads` that Java does not know. */
    static native int natives(int threads, int n);

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static ThreadFactory virtual() throws Exception {
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory")
            .invoke(Thread.class.getMethod("ofVirtual").invoke(null));
    }

    /** What settings are about: durations, contexts, switches, rates. */
    static void settings() {
        Field[] none = {};
        ContextType user = ContextType.of("app", "user");

        for (String name : new String[] {"Slow", "Off", "NoStack", "Throttled", "Plain"}) {
            EventType type = EventType.define("test." + name).fields(none).build();

            try (Scope s = user.open("alice")) {
                for (int i = 0; i < 200; i++) {
                    Event e = type.begin();
                    if (i % 20 == 0)
                        pause(2);
                    e.commit();
                }
            }
        }
        EventType.define("test.Default").enabled(false).fields(none).build().begin().commit();
        Event e = EventType.define("test.Contextual")
            .fields(Field.ofString("tenant").contextual()).build().begin();
        EventType.define("test.Inside").fields(none).build().begin().commit();
        pause(1);
        e.set(0, "acme").commit();
    }

    interface Use {
        void run();
    }

    static void refused(String name, Use use) {
        try {
            use.run();
            System.out.println(name + "=nothing");
        } catch (RuntimeException e) {
            System.out.println(name + "=" + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    static void tell(String name, EventType type) {
        System.out.println(name + "=" + type.problem());
        for (int i = 0; i < 3; i++)
            type.begin().commit();
    }

    /** Everything that one may do wrong. */
    static void wrong() {
        EventType type = count();
        StringBuilder text = new StringBuilder("x");

        refused("kind", () -> type.begin().set(0, "text"));
        refused("real", () -> type.begin().set(1, 1.5));
        refused("place", () -> type.begin().set(3, 1));
        refused("twice", () -> EventType.define("test.Twice")
            .fields(Field.ofInt("a"), Field.ofInt("a")).build());
        refused("unnamed", () -> EventType.define(""));
        tell("jdk", EventType.define("jdk.FileRead").build());
        tell("dash", EventType.define("test.a-b").build());
        tell("taken", EventType.define("test.Taken").fields(Field.ofInt("duration")).build());
        tell("unit", EventType.define("test.Unit")
            .fields(Field.ofString("a").unit(Unit.BYTES)).build());
        tell("other", EventType.define("test.Count").fields(Field.ofInt("thread")).build());
        while (text.length() < 3000)
            text.append("\u20ac");
        type.begin().set(2, text.toString()).commit();
        for (int i = 0; i < 140; i++) {
            EventType more = EventType.define("test.More" + i).build();
            if (more.problem() != null) {
                tell("room", more);
                break;
            }
            more.begin().commit();
        }
        type.begin().set(2, "still").commit();
    }

    /** Types at different times of a recording; events until told. */
    static void late(double seconds) {
        EventType early = EventType.define("test.Early").fields(Field.ofInt("n")).build();
        EventType later = null;
        long began = System.nanoTime();
        int n = 0;

        System.out.println("enabled=" + early.isEnabled());
        while (System.nanoTime() - began < seconds * 1e9) {
            early.begin().set(0, n++).commit();
            if (later == null && System.nanoTime() - began > seconds * 0.7e9)
                later = EventType.define("test.Later").fields(Field.ofInt("n")).build();
            if (later != null)
                later.begin().set(0, n).commit();
            pause(10);
        }
        System.out.println("noticed=" + early.isEnabled());
    }

    public static void once() {
        Event e = count().begin();

        System.out.println("recorded=" + e.set(0, 1).set(2, "me").commit());
    }

    /** The API twice, in loaders that know nothing of each other. */
    static void loaders(String jar, String classes) throws Exception {
        for (int i = 0; i < 2; i++) {
            URL[] urls = {new File(jar).toURI().toURL(), new File(classes + "/").toURI().toURL()};
            Class<?> c = new URLClassLoader(urls, null).loadClass("CustomEvents");
            c.getDeclaredMethod("once").invoke(null);
        }
    }

    static void measure(String name, int n, EventType type) {
        double least = 1e9;

        for (int round = 0; round < 8; round++) {
            long began = System.nanoTime();
            for (int i = 0; i < n; i++) {
                Event e = type.begin();
                e.set(0, "alice").set(1, "store").set(2, "file").commit();
            }
            if (round > 2) // compiled by then
                least = Math.min(least, (double) (System.nanoTime() - began) / n);
            pause(300); // for what is written behind
        }
        System.out.printf("%s %.1f%n", name, least);
    }

    static void cost() {
        EventType type = EventType.define("test.Request").fields(Field.ofString("user"),
            Field.ofString("action"), Field.ofString("file")).build();

        measure(type.isEnabled() ? "own-event" : "no-event", type.isEnabled() ? 5_000 : 5_000_000,
            type);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
        case "every":
            commitEvery(every());
            break;
        case "many":
            many(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Thread::new);
            break;
        case "virtual":
            many(Integer.parseInt(args[1]), Integer.parseInt(args[2]), virtual());
            break;
        case "settings":
            settings();
            break;
        case "wrong":
            wrong();
            break;
        case "late":
            late(Double.parseDouble(args[1]));
            break;
        case "once":
            once();
            break;
        case "loaders":
            loaders(args[1], args[2]);
            break;
        case "native":
            System.load(args[1]);
            pause(1500); // within a second the recorder knows the library and its frames
            System.out.println("wrong=" + natives(Integer.parseInt(args[2]),
                Integer.parseInt(args[3])));
            break;
        case "cost":
            cost();
            return;
        default:
            throw new IllegalArgumentException(args[0]);
        }
        System.out.println("done=1");
    }
}
