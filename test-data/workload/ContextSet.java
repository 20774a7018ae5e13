import java.io.File;
import java.io.FileInputStream;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import jfrkit.ContextType;
import jfrkit.EventType;
import jfrkit.Scope;
import jfrkit.Snapshot;

/** What is set without scopes, changed inside of them, and restored; says for each read whose it is. */
public class ContextSet {
    static final ContextType APP = ContextType.of("app", "user", "file");
    static File dir;

    /** Reads a file of its own. */
    static void read(String name, String user, String file) {
        try {
            File f = new File(dir, name);

            Files.write(f.toPath(), new byte[16]);
            try (FileInputStream in = new FileInputStream(f)) {
                in.read();
            }
            System.out.println("want " + name + " " + user + " " + file);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void set() {
        read("before", null, null);
        APP.set("alice", "1");
        read("set", "alice", "1");
        APP.set(1, "2");
        read("one-of-them", "alice", "2");
        try (Scope s = APP.open("bob", "3")) {
            read("scope", "bob", "3");
            s.set(1, "4");
            read("changed", "bob", "4");
            APP.set("carol", "9");
            read("changed-again", "carol", "9");
        }
        read("after-scope", "alice", "2");
        APP.clear();
        read("cleared", null, null);
    }

    /** Snapshots on another thread, and closed in a wrong order or place. */
    static void restored() throws Exception {
        Snapshot dave;

        for (int i = 0; i < 2; i++) { // wherever the record of the thread keeps it
            APP.set("heidi", "" + i);
            String file = "" + i;
            on(Snapshot.capture().wrap((Callable<Object>) () -> {
                read("set-elsewhere-" + file, "heidi", file);
                return null;
            }));
        }
        APP.clear();
        try (Scope s = APP.open("dave", "5")) {
            dave = Snapshot.capture();
        }
        on(dave.wrap((Callable<Object>) () -> {
            read("restored", "dave", "5");
            return null;
        }));
        Snapshot.Restored late;
        try (Scope s = APP.open("erin", "6")) {
            late = dave.restore();
            read("restored-inside", "dave", "5");
        }
        late.close();
        read("closed-late", null, null);
        Snapshot.Restored early = dave.restore();
        Scope inner = APP.open("frank", "7");
        early.close();
        read("closed-early", null, null);
        inner.close();
        read("closed-inner", null, null);
        Snapshot.Restored elsewhere = dave.restore();
        on(() -> {
            APP.set("grace", "8");
            elsewhere.close();
            read("elsewhere", "grace", "8");
            return null;
        });
        read("still", "dave", "5");
        elsewhere.close();
        read("end", null, null);
    }

    /** More of everything than there is room for, and two contexts whose events have one name. */
    static void limits() throws Exception {
        ContextType again = ContextType.of("app!", "user", "file");
        ContextType half = ContextType.of("half", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
        ContextType many = ContextType.of("many", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m");

        System.out.println("many=" + (many.isActive() || !half.isActive()));
        try (Scope s = APP.open("alice"); Scope t = again.open("bob")) {
            read("two", "alice", null);
        }
        Scope outermost = APP.open("deep");
        for (int i = 0; i < 40; i++)
            APP.open("deeper");
        outermost.close();
        for (int i = 0; i < 70_000; i++)
            APP.set("value-" + i);
    }

    static void on(Callable<Object> task) throws Exception {
        Thread t = new Thread(() -> {
            try {
                task.call();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        t.start();
        t.join();
    }

    public static void main(String[] args) throws Exception {
        dir = new File(args[0]);
        dir.mkdirs();
        if (args.length > 1) {
            if (args[1].equals("limits"))
                limits();
            else
                EventType.define("test.One").build().begin().commit();
            return;
        }
        set();
        restored();
    }
}
