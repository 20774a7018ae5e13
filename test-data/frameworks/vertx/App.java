package frameworks;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import org.slf4j.MDC;

/** Vert.x: handlers on event loops, work on worker threads, a task for the event loop from another thread, and a timer. */
public final class App {
    private App() {
    }

    public static void main(String[] args) {
        Vertx vertx = Vertx.vertx();
        Router router = Router.router(vertx);

        router.route().handler(context -> {
            MDC.put("user", context.request().getHeader("X-User"));
            try {
                context.next();
            } finally {
                MDC.clear();
            }
        });
        router.get("/now/:user").handler(context -> context.end(Work.now(context.pathParam("user"))));
        router.get("/later/:user").handler(context -> {
            String user = context.pathParam("user");

            vertx.executeBlocking(() -> Work.later(user)).onSuccess(context::end);
        });
        router.get("/async/:user").handler(context -> {
            String user = context.pathParam("user");

            vertx.runOnContext(nothing -> context.end(Work.later(user)));
        });
        router.get("/timer/:user").handler(context -> {
            String user = context.pathParam("user");

            vertx.setTimer(1, timer -> context.end(Work.later(user)));
        });
        vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1")
            .onSuccess(server -> System.out.println("port " + server.actualPort()));
    }
}
