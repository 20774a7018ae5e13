package frameworks;

import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.context.ManagedExecutor;
import org.slf4j.MDC;

/**
 * Quarkus: a filter puts the user into the MDC, which is a part of the request's Vert.x context there, and so is never
 * cleared. Requests are handled on worker threads, or on the event loop.
 */
@Path("/")
public class App {
    @Provider
    public static class Users implements ContainerRequestFilter {
        @Override
        public void filter(ContainerRequestContext request) {
            String user = request.getHeaderString("X-User");

            if (user != null)
                MDC.put("user", user);
        }
    }

    @Inject
    ManagedExecutor executor;

    @GET
    @Path("now/{user}")
    public String now(@PathParam("user") String user) {
        return Work.now(user);
    }

    @GET
    @Path("loop/{user}")
    @NonBlocking
    public String loop(@PathParam("user") String user) {
        return Work.now(user);
    }

    @GET
    @Path("later/{user}")
    public Uni<String> later(@PathParam("user") String user) {
        return Uni.createFrom().item(() -> Work.later(user)).runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }

    @GET
    @Path("async/{user}")
    public CompletionStage<String> async(@PathParam("user") String user) {
        return executor.supplyAsync(() -> Work.later(user));
    }

    @GET
    @Path("common/{user}")
    public CompletionStage<String> common(@PathParam("user") String user) {
        return CompletableFuture.supplyAsync(() -> Work.later(user));
    }
}
