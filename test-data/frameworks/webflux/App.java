package frameworks;

import io.micrometer.context.ContextRegistry;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import java.time.Duration;

/** Spring WebFlux on Netty: the user is in Reactor's context, and Reactor copies it to the MDC of whatever thread. */
@SpringBootApplication
public class App {
    public static void main(String[] args) {
        ContextRegistry.getInstance().registerThreadLocalAccessor("user", () -> MDC.get("user"),
            user -> MDC.put("user", user), () -> MDC.remove("user"));
        Hooks.enableAutomaticContextPropagation();
        System.out.println("port " + ((WebServerApplicationContext) SpringApplication.run(App.class,
            "--server.port=0", "--server.address=127.0.0.1")).getWebServer().getPort());
    }

    @Bean
    WebFilter users() {
        return (exchange, chain) -> chain.filter(exchange)
            .contextWrite(context -> context.put("user", exchange.getRequest().getHeaders().getFirst("X-User")));
    }

    @RestController
    static class Pages {
        @GetMapping("/now/{user}")
        Mono<String> now(@PathVariable String user) {
            return Mono.fromCallable(() -> Work.now(user));
        }

        @GetMapping("/later/{user}")
        Mono<String> later(@PathVariable String user) {
            return Mono.fromCallable(() -> Work.later(user)).subscribeOn(Schedulers.boundedElastic());
        }

        @GetMapping("/async/{user}")
        Mono<String> async(@PathVariable String user) {
            return Mono.delay(Duration.ofMillis(1)).map(n -> Work.later(user));
        }
    }
}
