import io.javalin.Javalin;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import shim.RequestContext;

/**
 * A file server on Javalin and Jetty whose requests set a jdk.jfr.ContextType, and ten users of it:
 * WebFiles FOLDER. Prints "loaded NAME BYTES" as the users know it.
 */
public class WebFiles {
    static final String[] USERS = {"alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi",
        "ivan", "judy"};

    static String ask(int port, String path) throws IOException {
        try (InputStream in = new URL("http://127.0.0.1:" + port + path).openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Stores a file for each user, loads it, deletes it; users take turns by chance. */
    static long[] use(int port, String prefix, int files) throws IOException {
        Random random = new Random(1);
        List<Integer> turns = new ArrayList<>();
        long[] loaded = new long[USERS.length];

        for (int u = 0; u < USERS.length; u++) {
            turns.add(u);
            ask(port, "/register/" + prefix + USERS[u]);
        }
        for (int i = 0; i < files; i++)
            for (String action : new String[] {"store", "load", "delete"}) {
                Collections.shuffle(turns, random);
                for (int u : turns) {
                    String name = prefix + USERS[u], path = "/" + action + "/" + name + "/test_" + i;
                    String got = ask(port, action.equals("store") ? path + "/content_" + i + "_for_" + name : path);
                    if (action.equals("load"))
                        loaded[u] += got.length();
                }
            }
        return loaded;
    }

    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        Javalin server = Javalin.create(c -> c.showJavalinBanner = false)
            .get("/register/{user}", c -> {
                try (RequestContext t = new RequestContext(c.pathParam("user"), "register")) {
                    Files.createDirectories(root.resolve(c.pathParam("user")));
                }
            })
            .get("/store/{user}/{file}/{content}", c -> {
                try (RequestContext t = new RequestContext(c.pathParam("user"), "store", c.pathParam("file"))) {
                    Files.writeString(root.resolve(c.pathParam("user")).resolve(c.pathParam("file")), c.pathParam("content"));
                }
            })
            .get("/load/{user}/{file}", c -> {
                try (RequestContext t = new RequestContext(c.pathParam("user"), "load", c.pathParam("file"))) {
                    c.result(Files.readString(root.resolve(c.pathParam("user")).resolve(c.pathParam("file"))));
                }
            })
            .get("/delete/{user}/{file}", c -> {
                try (RequestContext t = new RequestContext(c.pathParam("user"), "delete", c.pathParam("file"))) {
                    Files.delete(root.resolve(c.pathParam("user")).resolve(c.pathParam("file")));
                }
            })
            .start("127.0.0.1", 0);

        use(server.port(), "_", 2); // what loads classes, from files, is nobody's
        long[] loaded = use(server.port(), "", 10);
        server.stop();
        for (int u = 0; u < USERS.length; u++)
            System.out.println("loaded " + USERS[u] + " " + loaded[u]);
    }
}
