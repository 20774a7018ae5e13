import jfrkit.ContextType;
import jfrkit.Event;
import jfrkit.EventType;
import jfrkit.Field;
import jfrkit.Scope;

/** Spans in which something is recorded (of "busy"), and such in which nothing is (of "quiet"): Emit
 *  N. Both as scopes of a context and as events with a contextual field. */
public class Emit {
    static final ContextType APP = ContextType.of("app", "user");
    static final EventType WORK = EventType.define("test.Work").stackTrace(false)
        .fields(Field.ofString("who")).build();
    static final EventType SPAN = EventType.define("test.Span").stackTrace(false)
        .fields(Field.ofString("who").contextual()).build();

    static void work(String who) throws Exception {
        Event e = WORK.begin();

        Thread.sleep(1);
        if (who.equals("busy"))
            e.set(0, who).commit();
    }

    static void scope(String who) throws Exception {
        try (Scope s = APP.open(who)) {
            work(who);
        }
    }

    static void span(String who) throws Exception {
        Event span = SPAN.begin();

        work(who);
        Thread.sleep(1); // what ends in the span ends before it does
        span.set(0, who).commit();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            for (String who : new String[] {"busy", "quiet"}) {
                scope(who);
                Thread.sleep(1);
                span(who);
                Thread.sleep(1);
            }
        System.out.println("done=1");
    }
}
