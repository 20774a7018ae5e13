package shop;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * A service that knows nothing of jfrkit: a servlet container, a pool of database connections, a filter that names the user in the
 * logger's MDC. The filter also measures what each user took, by the JVM's own counters: GET /truth, then from zero.
 * Orders are made on other threads, in four ways, and an answer is written by another thread than asked for it. Prices are
 * made of what another service answers, on the thread that receives it.
 */
@SpringBootApplication
@EnableAsync
public class Shop {
    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    static final class Taken {
        long cpu;
        long bytes;
        long requests;
    }

    static Map<String, Taken> taken = new TreeMap<>();

    private static final com.sun.management.ThreadMXBean THREADS =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    static void took(String user, long cpu, long bytes, int requests) {
        synchronized (Shop.class) {
            Taken mine = taken.computeIfAbsent(user, name -> new Taken());

            mine.cpu += cpu;
            mine.bytes += bytes;
            mine.requests += requests;
        }
    }

    /** Work that takes CPU time and memory. Whose it is tells the method that calls it. */
    static long sum(int n) {
        long sum = 0;

        for (int i = 0; i < n * 1000; i++)
            sum = sum * 31 + Integer.toString(i, 36).hashCode() % 7;
        return sum;
    }

    /** Work on another thread, which knows its user only by this parameter. */
    static long measured(String user, LongSupplier work) {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long result = work.getAsLong();

        took(user, THREADS.getCurrentThreadCpuTime() - cpu, THREADS.getCurrentThreadAllocatedBytes() - bytes, 0);
        return result;
    }

    @Component
    static class Orders {
        private final ExecutorService pool = Executors.newFixedThreadPool(2);

        static long work(int n) {
            return sum(n);
        }

        static long started(int n) {
            return sum(n);
        }

        static long price(int n) {
            return sum(n);
        }

        @Async
        public CompletableFuture<Long> springs(String user, int n) {
            return CompletableFuture.completedFuture(measured(user, () -> work(n)));
        }

        CompletableFuture<Long> completable(String user, int n) {
            return CompletableFuture.supplyAsync(() -> measured(user, () -> work(n)));
        }

        Future<Long> submitted(String user, int n) {
            return pool.submit(() -> measured(user, () -> work(n)));
        }
    }

    /** Its sum is made while it is written as JSON, by a thread of the container on which no filter sets a user. */
    public static final class Answer {
        private final int n;

        Answer(int n) {
            this.n = n;
        }

        public long getSum() {
            return sum(n);
        }
    }

    @Component
    static class Users extends OncePerRequestFilter {
        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
            String user = request.getHeader("X-User");

            if (user == null) {
                chain.doFilter(request, response);
                return;
            }
            MDC.put("user", user);
            MDC.put("requestId", request.getHeader("X-Request"));
            long cpu = THREADS.getCurrentThreadCpuTime();
            long bytes = THREADS.getCurrentThreadAllocatedBytes();
            try {
                chain.doFilter(request, response);
            } finally {
                cpu = THREADS.getCurrentThreadCpuTime() - cpu;
                bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
                MDC.clear();
                took(user, cpu, bytes, 1);
            }
        }
    }

    /** Measures what the second half of a request takes, if it is written by another thread. */
    @Component
    static class Written extends OncePerRequestFilter {
        @Override
        protected boolean shouldNotFilterAsyncDispatch() {
            return false;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
            long cpu = THREADS.getCurrentThreadCpuTime();
            long bytes = THREADS.getCurrentThreadAllocatedBytes();

            chain.doFilter(request, response);
            if (isAsyncDispatch(request) && request.getHeader("X-User") != null)
                took(request.getHeader("X-User"), THREADS.getCurrentThreadCpuTime() - cpu,
                    THREADS.getCurrentThreadAllocatedBytes() - bytes, 0);
        }
    }

    @RestController
    static class Pages {
        private final JdbcTemplate database;
        private final Orders orders;
        private final WebClient client = WebClient.create();

        Pages(JdbcTemplate database, Orders orders) {
            this.database = database;
            this.orders = orders;
            database.execute("create table item (id int primary key, name varchar(100))");
            for (int i = 0; i < 500; i++)
                database.update("insert into item values (?, ?)", i, "item " + i);
        }

        @GetMapping("/search/{n}")
        String search(@PathVariable int n) {
            return "sum " + sum(n);
        }

        @GetMapping("/report/{n}")
        String report(@PathVariable int n) {
            int length = 0;

            for (int i = 0; i < n; i++) {
                byte[] page = new byte[64 << 10];

                page[i % page.length] = 1;
                length += page.length;
            }
            return "length " + length;
        }

        @GetMapping("/items/{n}")
        String items(@PathVariable int n) {
            int length = 0;

            for (int i = 0; i < n; i++)
                length += database.queryForObject("select name from item where id = ?", String.class, i % 500).length();
            return "length " + length;
        }

        @GetMapping("/orders/{n}")
        String orders(@PathVariable int n) throws Exception {
            String user = MDC.get("user") == null ? "nobody" : MDC.get("user");
            CompletableFuture<Long> a = orders.springs(user, n);
            CompletableFuture<Long> b = orders.completable(user, n);
            Future<Long> c = orders.submitted(user, n);

            return "orders " + (a.get() + b.get() + c.get());
        }

        @GetMapping("/later/{n}")
        CompletableFuture<Answer> later(@PathVariable int n) {
            return CompletableFuture.supplyAsync(() -> new Answer(n));
        }

        @GetMapping("/started/{n}")
        void started(@PathVariable int n, HttpServletRequest request, HttpServletResponse response) {
            AsyncContext later = request.startAsync();

            later.start(() -> {
                measured(request.getHeader("X-User"), () -> Orders.started(n));
                response.setStatus(HttpServletResponse.SC_OK);
                later.complete();
            });
        }

        @GetMapping("/prices/{n}")
        String prices(@PathVariable int n, HttpServletRequest request) {
            String user = request.getHeader("X-User");

            return client.get().uri("http://127.0.0.1:{port}/stock", request.getLocalPort()).retrieve().bodyToMono(String.class)
                .map(stock -> stock + " " + measured(user, () -> Orders.price(n))).block();
        }

        @GetMapping("/stock")
        String stock() {
            return "stock";
        }

        @GetMapping("/truth")
        String truth() {
            StringBuilder text = new StringBuilder();

            synchronized (Shop.class) {
                taken.forEach((user, t) -> text.append(user).append(' ').append(t.cpu).append(' ').append(t.bytes)
                    .append(' ').append(t.requests).append('\n'));
                taken = new TreeMap<>();
            }
            return text.toString();
        }
    }
}
