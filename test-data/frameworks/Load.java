package frameworks;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Load PORT ROUNDS PATH...: four users at once, each with so many requests of each path. */
public final class Load {
    private Load() {
    }

    public static void main(String[] args) throws Exception {
        String[] users = {"alice", "bob", "carol", "dave"};
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Thread[] threads = new Thread[users.length];

        for (int i = 0; i < threads.length; i++) {
            String user = users[i];

            threads[i] = new Thread(() -> {
                try {
                    for (int round = 0; round < Integer.parseInt(args[1]); round++)
                        for (int path = 2; path < args.length; path++)
                            request(client, "http://127.0.0.1:" + args[0] + "/" + args[path] + "/" + user, user);
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(1);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
    }

    private static void request(HttpClient client, String url, String user) throws Exception {
        HttpResponse<String> response = client.send(
            HttpRequest.newBuilder(URI.create(url)).header("X-User", user).build(), HttpResponse.BodyHandlers.ofString());

        if (response.statusCode() != 200 || !response.body().equals("done"))
            throw new IllegalStateException(url + ": " + response.statusCode() + " " + response.body());
    }
}
