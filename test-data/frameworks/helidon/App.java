package frameworks;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.http.HeaderNames;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.MDC;

/** Helidon 4: a virtual thread for each request, and more of them for what a request starts. */
public final class App {
    private App() {
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor();
        HttpRouting.Builder routing = HttpRouting.builder().addFilter((chain, request, response) -> {
            MDC.put("user", request.headers().get(HeaderNames.create("X-User")).get());
            try {
                chain.proceed();
            } finally {
                MDC.clear();
            }
        }).get("/now/{user}", (request, response) -> response.send(Work.now(request.path().pathParameters().get("user"))))
            .get("/later/{user}", (request, response) -> {
                String user = request.path().pathParameters().get("user");

                response.send(pool.submit(() -> Work.later(user)).get());
            }).get("/async/{user}", (request, response) -> {
                String user = request.path().pathParameters().get("user");

                response.send(CompletableFuture.supplyAsync(() -> Work.later(user)).get());
            });
        WebServer server = WebServer.builder().address(InetAddress.getLoopbackAddress()).port(0).routing(routing).build();

        System.out.println("port " + server.start().port());
    }
}
