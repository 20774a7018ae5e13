package frameworks;

/**
 * What the requests of four users do: each user has a method of their own, so a stack says for whom the work is done,
 * whatever the thread's context says. {@link #now} is for work on the thread of the request, {@link #later} for work
 * that the request hands to another thread.
 */
public final class Work {
    /** Of a request; about a millisecond of CPU time each. */
    static final int UNITS = 6;

    private static volatile long sum;

    private Work() {
    }

    public static String now(String user) {
        return of(user);
    }

    public static String later(String user) {
        return of(user);
    }

    private static String of(String user) {
        switch (user) {
        case "alice":
            return ofAlice();
        case "bob":
            return ofBob();
        case "carol":
            return ofCarol();
        default:
            return ofDave();
        }
    }

    private static String ofAlice() {
        return spin();
    }

    private static String ofBob() {
        return spin();
    }

    private static String ofCarol() {
        return spin();
    }

    private static String ofDave() {
        return spin();
    }

    private static String spin() {
        long n = sum;

        for (int i = 0; i < UNITS * 400_000; i++)
            n = n * 31 + (i ^ n >>> 7);
        sum = n;
        return "done";
    }
}
