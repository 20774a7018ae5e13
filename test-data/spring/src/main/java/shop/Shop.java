package shop;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * A service that knows nothing of jfrkit: Tomcat, a pool of database connections, a filter that names the user in the
 * logger's MDC. The filter also measures what each user took, by the JVM's own counters: GET /truth, then from zero.
 */
@SpringBootApplication
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

    @Component
    static class Users extends OncePerRequestFilter {
        private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

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
                synchronized (Shop.class) {
                    Taken mine = taken.computeIfAbsent(user, name -> new Taken());

                    mine.cpu += cpu;
                    mine.bytes += bytes;
                    mine.requests++;
                }
            }
        }
    }

    @RestController
    static class Pages {
        private final JdbcTemplate database;

        Pages(JdbcTemplate database) {
            this.database = database;
            database.execute("create table item (id int primary key, name varchar(100))");
            for (int i = 0; i < 500; i++)
                database.update("insert into item values (?, ?)", i, "item " + i);
        }

        @GetMapping("/search/{n}")
        String search(@PathVariable int n) {
            long sum = 0;

            for (int i = 0; i < n * 1000; i++)
                sum = sum * 31 + Integer.toString(i, 36).hashCode() % 7;
            return "sum " + sum;
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
