package frameworks;

import io.javalin.Javalin;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.MDC;

/** Javalin on Jetty: the user is in the MDC around each handler. */
public final class App {
    private App() {
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Javalin app = Javalin.create(config -> config.showJavalinBanner = false);

        app.before(context -> MDC.put("user", context.header("X-User")));
        app.after(context -> MDC.clear());
        app.get("/now/{user}", context -> context.result(Work.now(context.pathParam("user"))));
        app.get("/later/{user}", context -> {
            String user = context.pathParam("user");

            context.future(() -> CompletableFuture.supplyAsync(() -> Work.later(user), pool).thenAccept(context::result));
        });
        app.get("/async/{user}", context -> {
            String user = context.pathParam("user");

            context.async(() -> context.result(Work.later(user)));
        });
        app.start("127.0.0.1", 0);
        System.out.println("port " + app.port());
    }
}
