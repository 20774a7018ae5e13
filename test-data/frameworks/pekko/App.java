package frameworks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.slf4j.MDC;

/** Pekko: one actor works for all users, in turn; another one works for each and passes messages on to it. */
public final class App {
    private App() {
    }

    private static final class Order {
        private final String user;
        private final CompletableFuture<String> answer = new CompletableFuture<>();

        Order(String user) {
            this.user = user;
        }
    }

    private static final class Worker extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Order.class, order -> order.answer.complete(Work.later(order.user))).build();
        }
    }

    private static final class Clerk extends AbstractActor {
        private final ActorRef worker;

        Clerk(ActorRef worker) {
            this.worker = worker;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Order.class, order -> worker.tell(order, self())).build();
        }
    }

    private static String ask(ActorRef actor, String user) {
        Order[] orders = {new Order(user), new Order(user)};

        for (Order order : orders)
            actor.tell(order, ActorRef.noSender());
        for (Order order : orders)
            order.answer.join();
        return "done";
    }

    private static void send(HttpExchange exchange, String text) throws IOException {
        exchange.sendResponseHeaders(200, text.length());
        exchange.getResponseBody().write(text.getBytes());
        exchange.close();
    }

    public static void main(String[] args) throws IOException {
        ActorSystem system = ActorSystem.create();
        ActorRef worker = system.actorOf(Props.create(Worker.class, Worker::new));
        ActorRef clerk = system.actorOf(Props.create(Clerk.class, () -> new Clerk(worker)));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);

        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/", exchange -> {
            String[] path = exchange.getRequestURI().getPath().split("/");

            MDC.put("user", exchange.getRequestHeaders().getFirst("X-User"));
            try {
                send(exchange, path[1].equals("now") ? Work.now(path[2]) : ask(path[1].equals("later") ? worker : clerk, path[2]));
            } finally {
                MDC.clear();
            }
        });
        server.start();
        System.out.println("port " + server.getAddress().getPort());
    }
}
