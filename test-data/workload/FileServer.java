import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * A small file server and the users who load it, in one process: what a profiler is asked about.
 * Requests read, compress, search and store files; they share one cache behind one lock, allocate,
 * and now and then ask for what is not there.
 *
 * java FileServer [SECONDS [USERS]]      JDK 8 or later
 */
public class FileServer {
    static final int FILES = 24;
    static final Pattern WORD = Pattern.compile("([a-z]+)-(\\d+)");

    /** Least recently used files, behind one lock on purpose. */
    static final class Cache {
        private final Map<String, byte[]> files = new LinkedHashMap<>(16, 0.75f, true);

        synchronized byte[] get(File file) throws IOException {
            byte[] found = files.get(file.getName());
            if (found == null) {
                found = read(file);
                files.put(file.getName(), found);
                if (files.size() > FILES / 3)
                    files.remove(files.keySet().iterator().next());
            }
            return found;
        }

        synchronized void forget(File file) {
            files.remove(file.getName());
        }
    }

    final File root;
    final Cache cache = new Cache();
    final AtomicLong served = new AtomicLong(), missed = new AtomicLong();

    FileServer(File root) {
        this.root = root;
    }

    static byte[] read(File file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        try (InputStream in = new FileInputStream(file)) {
            for (int n; (n = in.read(part)) > 0;)
                out.write(part, 0, n);
        }
        return out.toByteArray();
    }

    File file(HttpExchange request) throws FileNotFoundException {
        File file = new File(root, request.getRequestURI().getQuery());
        if (!file.exists())
            throw new FileNotFoundException(file.getName());
        return file;
    }

    byte[] download(HttpExchange request) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gz = new GZIPOutputStream(packed)) {
            gz.write(cache.get(file(request)));
        }
        return packed.toByteArray();
    }

    byte[] search(HttpExchange request) throws IOException {
        Map<String, Long> sums = new TreeMap<>();
        String text = new String(cache.get(file(request)), StandardCharsets.UTF_8);
        Matcher m = WORD.matcher(text);
        while (m.find())
            sums.merge(m.group(1), Long.parseLong(m.group(2)), Long::sum);
        return sums.toString().getBytes(StandardCharsets.UTF_8);
    }

    byte[] store(HttpExchange request) throws IOException {
        File file = file(request);
        byte[] text = text(new Random(served.get()), 2000);
        try (OutputStream out = new FileOutputStream(file)) {
            out.write(text);
        }
        cache.forget(file);
        return new byte[0];
    }

    byte[] list(HttpExchange request) {
        List<String> rows = new ArrayList<>();
        for (File f : root.listFiles())
            rows.add(String.format("%8d %s", f.length(), f.getName()));
        rows.sort(String::compareTo);
        return String.join("\n", rows).getBytes(StandardCharsets.UTF_8);
    }

    interface Action {
        byte[] answer(HttpExchange request) throws IOException;
    }

    void serve(HttpExchange request, Action action) throws IOException {
        byte[] body;
        int status = 200;
        try {
            body = action.answer(request);
            served.incrementAndGet();
        } catch (FileNotFoundException e) {
            body = ("no file " + e.getMessage()).getBytes(StandardCharsets.UTF_8);
            status = 404;
            missed.incrementAndGet();
        }
        request.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        request.getResponseBody().write(body);
        request.close();
    }

    static byte[] text(Random random, int words) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < words; i++)
            b.append((char) ('a' + random.nextInt(26))).append("word-").append(random.nextInt(1000))
                .append(i % 12 == 11 ? '\n' : ' ');
        return b.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** One user: mostly reads, some searches, few writes, the odd mistake. */
    static void user(int number, int port, long until) {
        String[] actions = {"download", "download", "download", "search", "search", "list", "store"};
        Random random = new Random(number);
        byte[] part = new byte[8192];
        while (System.nanoTime() < until) {
            String action = actions[random.nextInt(actions.length)];
            int file = random.nextInt(FILES + 1);
            try {
                HttpURLConnection c = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + "/" + action + "?f" + file)
                        .toURL().openConnection();
                InputStream in = c.getResponseCode() < 400 ? c.getInputStream() : c.getErrorStream();
                if (in != null) {
                    while (in.read(part) > 0)
                        ;
                    in.close();
                }
                Thread.sleep(random.nextInt(4));
            } catch (IOException e) {
                System.err.println("user " + number + ": " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        // Else an answer waits 40 ms for the acknowledgement of its own header.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int users = args.length > 1 ? Integer.parseInt(args[1]) : 8;
        File root = java.nio.file.Files.createTempDirectory("fileserver").toFile();
        FileServer server = new FileServer(root);
        for (int i = 0; i < FILES; i++)
            try (OutputStream out = new FileOutputStream(new File(root, "f" + i))) {
                out.write(text(new Random(i), 4000));
            }

        HttpServer http =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService workers = Executors.newFixedThreadPool(4);
        http.setExecutor(workers);
        http.createContext("/download", r -> server.serve(r, server::download));
        http.createContext("/search", r -> server.serve(r, server::search));
        http.createContext("/store", r -> server.serve(r, server::store));
        http.createContext("/list", r -> server.serve(r, server::list));
        http.start();

        long until = System.nanoTime() + seconds * 1_000_000_000L;
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            int number = i;
            Thread t = new Thread(() -> user(number, http.getAddress().getPort(), until), "user-" + i);
            clients.add(t);
            t.start();
        }
        for (Thread t : clients)
            t.join();
        http.stop(0);
        workers.shutdown();
        for (File f : root.listFiles())
            f.delete();
        root.delete();
        System.out.println(server.served + " requests served, " + server.missed + " for missing files");
    }
}
