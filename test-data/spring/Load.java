import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Load URL ROUNDS NAME-PREFIX: eight users, of whom two search, and each other has a page of their own. The work is the
 *  same on any machine: so many rounds of requests for each user.
 *  Load URL: prints what is there. */
public class Load {
    public static void main(String[] args) throws Exception {
        if (args.length == 1) {
            System.out.print(HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(args[0])).build(),
                HttpResponse.BodyHandlers.ofString()).body());
            return;
        }
        String[][] users = {{"alice", "/search/60", "50"}, {"bob", "/report/60", "100"}, {"carol", "/items/40", "100"},
            {"dave", "/search/20", "90"}, {"erin", "/orders/15", "60"}, {"frank", "/later/50", "50"},
            {"grace", "/started/80", "50"}, {"heidi", "/prices/150", "20"}};
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Thread[] threads = new Thread[users.length];

        for (int i = 0; i < threads.length; i++) {
            String[] user = users[i];
            int requests = Integer.parseInt(user[2]) * Integer.parseInt(args[1]);

            threads[i] = new Thread(() -> {
                try {
                    for (int n = 0; n < requests; n++) {
                        HttpRequest request = HttpRequest.newBuilder(URI.create(args[0] + user[1]))
                            .header("X-User", args[2] + user[0]).header("X-Request", user[0] + n).build();
                        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());

                        if (response.statusCode() != 200)
                            throw new IllegalStateException(response.body());
                        Thread.sleep(2);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(1);
                }
            });
            threads[i].start();
        }
        for (Thread t : threads)
            t.join();
    }
}
