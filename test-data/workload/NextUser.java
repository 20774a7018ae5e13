import java.util.concurrent.atomic.AtomicReference;

/** What a user leaves for the next one: publishers that wait for values. For {@link Tasks}. */
final class NextUser {
    private final AtomicReference<Runnable> waiting = new AtomicReference<>();

    /** Runs what the user before has left. null: there is no next user. */
    void leave(Runnable mine) {
        Runnable before = waiting.getAndSet(mine);

        if (before != null)
            before.run();
    }
}
