import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import jfrkit.ContextType;
import jfrkit.Scope;

/**
 * A file server whose requests say for whom they work, and ten users who load it: each registers,
 * stores files, loads and deletes them. Some are more expensive than others. Prints what each user
 * knows: "loaded NAME BYTES"; on standard error "warmed up" before the first request of a user.
 *
 * java -cp .:jfrkit.jar UserFiles [ROUNDS]      JDK 8 or later
 */
public class UserFiles {
    /** Who they are, how much they store, how often they load it, and what they want done to it. */
    enum User {
        alice(60_000, 9, "gzip"), bob(8_000, 3, ""), carol(20_000, 4, ""), dave(4_000, 6, "copy"),
        erin(30_000, 2, ""), frank(2_000, 2, ""), grace(16_000, 5, "copy"), heidi(1_000, 8, ""),
        ivan(40_000, 3, "gzip"), judy(500, 1, "");

        final int size, loads;
        final String wish;

        User(int size, int loads, String wish) {
            this.size = size;
            this.loads = loads;
            this.wish = wish;
        }
    }

    static final ContextType CONTEXT =
        ContextType.of("tracer-context", "user", "action", "file", "trace");
    static final AtomicLong traces = new AtomicLong();

    final File root;

    UserFiles(File root) {
        this.root = root;
    }

    byte[] register(File dir) {
        dir.mkdirs();
        return new byte[0];
    }

    byte[] store(File file, InputStream body) throws IOException {
        byte[] part = new byte[8192];

        try (OutputStream out = new FileOutputStream(file)) {
            for (int n; (n = body.read(part)) > 0;)
                out.write(part, 0, n);
        }
        return new byte[0];
    }

    byte[] load(File file, String wish) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[8192];

        try (InputStream in = new FileInputStream(file)) {
            for (int n; (n = in.read(part)) > 0;)
                all.write(part, 0, n);
        }
        if (wish.equals("gzip"))
            pack(all.toByteArray());
        if (wish.equals("copy"))
            copies(all.toByteArray());
        return all.toByteArray();
    }

    /** Costs CPU. */
    static long pack(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        CRC32 crc = new CRC32();

        try (GZIPOutputStream gz = new GZIPOutputStream(packed)) {
            gz.write(bytes);
        }
        crc.update(packed.toByteArray());
        return crc.getValue();
    }

    /** Costs memory. */
    static int copies(byte[] bytes) {
        int sum = 0;

        for (int i = 0; i < 200; i++)
            sum += new String(bytes, StandardCharsets.ISO_8859_1).length();
        return sum;
    }

    byte[] delete(File file) {
        file.delete();
        return new byte[0];
    }

    byte[] answer(HttpExchange request, String action, String user, String name, String wish)
        throws IOException {
        File dir = new File(root, user), file = new File(dir, name);

        switch (action) {
        case "register":
            return register(dir);
        case "store":
            return store(file, request.getRequestBody());
        case "load":
            return load(file, wish);
        default:
            return delete(file);
        }
    }

    /** /action/user/file?wish. What nobody asked for has no context. */
    void serve(HttpExchange request) throws IOException {
        String[] path = request.getRequestURI().getPath().split("/");
        String wish = request.getRequestURI().getQuery();
        boolean isWarmUp = path[2].startsWith("_");
        String trace = Long.toHexString(0x1000000L + traces.incrementAndGet());
        byte[] body;

        try (Scope s = isWarmUp ? CONTEXT.open(null, null, null, null)
            : CONTEXT.open(path[2], path[1], path[3], trace)) {
            body = answer(request, path[1], path[2], path[3], wish == null ? "" : wish);
        }
        request.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        if (body.length > 0)
            request.getResponseBody().write(body);
        request.close();
    }

    /** Bytes of the answer. */
    static long ask(int port, String path, byte[] body) throws IOException {
        HttpURLConnection c = (HttpURLConnection)
            URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        byte[] part = new byte[8192];
        long got = 0;

        if (body != null) {
            c.setDoOutput(true);
            c.setFixedLengthStreamingMode(body.length);
            c.getOutputStream().write(body);
        }
        try (InputStream in = c.getInputStream()) {
            for (int n; (n = in.read(part)) > 0;)
                got += n;
        }
        return got;
    }

    static byte[] text(Random random, int n) {
        byte[] text = new byte[n];

        for (int i = 0; i < n; i++)
            text[i] = (byte) (i % 60 == 59 ? '\n' : 'a' + random.nextInt(26));
        return text;
    }

    /** What one user got. */
    static class Got {
        long bytes, answers;

        long plus(long n) {
            answers++;
            return n;
        }
    }

    /** What one user does, so many times. */
    static Got use(int port, String name, User user, int rounds) {
        Random random = new Random(user.ordinal());
        Got got = new Got();

        try {
            got.plus(ask(port, "/register/" + name + "/home", null));
            for (int round = 0; round < rounds; round++) {
                String file = "/" + name + "/file-" + round % 5;
                got.plus(ask(port, "/store" + file, text(random, user.size + random.nextInt(100))));
                for (int i = 0; i < user.loads; i++)
                    got.bytes += got.plus(ask(port, "/load" + file + "?" + user.wish, null));
                if (round % 5 == 4)
                    got.plus(ask(port, "/delete" + file, null));
                Thread.sleep(random.nextInt(5));
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(name + ": " + e);
        }
        return got;
    }

    static void remove(File f) {
        File[] inside = f.listFiles();

        if (inside != null)
            for (File g : inside)
                remove(g);
        f.delete();
    }

    public static void main(String[] args) throws Exception {
        // Else an answer waits 40 ms for the acknowledgement of its own header.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 150;
        File root = java.nio.file.Files.createTempDirectory("userfiles").toFile();
        UserFiles server = new UserFiles(root);
        HttpServer http =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService workers = Executors.newFixedThreadPool(4);
        List<Thread> clients = new ArrayList<>();
        Got[] got = new Got[User.values().length];
        int port = http.getAddress().getPort();

        http.setExecutor(workers);
        http.createContext("/", server::serve);
        http.start();
        // Classes are loaded, from files, by nobody's requests.
        for (User user : User.values())
            use(port, "_" + user, user, 5);
        System.err.println("warmed up"); // from here on every request has a user
        for (User user : User.values()) {
            Thread t = new Thread(() ->
                got[user.ordinal()] = use(port, user.name(), user, rounds), "client-" + user);
            clients.add(t);
            t.start();
        }
        for (Thread t : clients)
            t.join();
        http.stop(0);
        workers.shutdown();
        remove(root);
        for (User user : User.values())
            System.out.println("loaded " + user + " " + got[user.ordinal()].bytes + " " + got[user.ordinal()].answers);
    }
}
