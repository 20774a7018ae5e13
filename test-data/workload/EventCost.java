import jdk.jfr.Event;

/** What an event of the JDK's own recorder with three texts costs: prints "jdk-event NS". */
public class EventCost {
    static class Request extends Event {
        String user, action, file;
    }

    static void run(int n) {
        for (int i = 0; i < n; i++) {
            Request r = new Request();
            r.begin();
            r.user = "alice";
            r.action = "store";
            r.file = "file";
            r.commit();
        }
    }

    public static void main(String[] args) {
        double least = 1e9;

        for (int round = 0; round < 8; round++) {
            long began = System.nanoTime();
            run(1_000_000);
            least = Math.min(least, (System.nanoTime() - began) / 1e6);
        }
        System.out.printf("jdk-event %.1f%n", least);
    }
}
