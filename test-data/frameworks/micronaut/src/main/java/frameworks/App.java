package frameworks;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.propagation.MutablePropagatedContext;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.context.propagation.slf4j.MdcPropagationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Micronaut on Netty: a filter puts the user into the propagated context, which Micronaut copies to the MDC. */
public class App {
    public static void main(String[] args) {
        EmbeddedServer server = ApplicationContext.run(EmbeddedServer.class,
            Map.<String, Object>of("micronaut.server.port", -1, "micronaut.server.host", "127.0.0.1"));

        System.out.println("port " + server.getPort());
    }

    @ServerFilter("/**")
    static class Users {
        @RequestFilter
        void users(HttpRequest<?> request, MutablePropagatedContext context) {
            String user = request.getHeaders().get("X-User");

            if (user != null)
                context.add(new MdcPropagationContext(Map.of("user", user)));
        }
    }

    @Controller
    static class Pages {
        @Get(value = "/now/{user}", produces = MediaType.TEXT_PLAIN)
        String now(String user) {
            return Work.now(user);
        }

        @Get(value = "/later/{user}", produces = MediaType.TEXT_PLAIN)
        @ExecuteOn(TaskExecutors.IO)
        String later(String user) {
            return Work.later(user);
        }

        @Get(value = "/async/{user}", produces = MediaType.TEXT_PLAIN)
        CompletableFuture<String> async(String user) {
            return CompletableFuture.supplyAsync(() -> Work.later(user));
        }
    }
}
