package frameworks

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import io.vertx.core.Vertx
import io.vertx.kotlin.coroutines.dispatcher
import java.net.InetSocketAddress
import java.util.concurrent.Executor
import java.util.concurrent.Executors
import java.util.concurrent.ForkJoinPool
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.slf4j.MDCContext
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext
import org.slf4j.MDC

/**
 * Coroutines: MDCContext, which they take along, sets the MDC wherever one is resumed. Without it (path
 * "nobody", "forked" in a ForkJoinPool, "virtual" on virtual threads, "vertx" on an event loop of Vert.x) a coroutine
 * has no user, also when a coroutine of another user resumes it.
 */
object App {
    private val pool = Executors.newFixedThreadPool(3).asCoroutineDispatcher()
    private val forks = ForkJoinPool(3).asCoroutineDispatcher()
    private val scope = CoroutineScope(pool)
    private val dispatchers =
        mapOf("nobody" to pool, "forked" to forks, "virtual" to virtual(), "vertx" to Vertx.vertx().dispatcher())
    private val mutex = Mutex()

    private fun virtual() = try {
        (Executors::class.java.getMethod("newVirtualThreadPerTaskExecutor").invoke(null) as Executor).asCoroutineDispatcher()
    } catch (older: NoSuchMethodException) { // before JDK 21
        forks
    }

    private suspend fun answer(path: String, user: String): String = when (path) {
        "later" -> withContext(MDCContext()) {
            delay(1)
            mutex.withLock { Work.later(user) }
        }
        "async" -> withContext(Dispatchers.Default + MDCContext()) {
            delay(1)
            Work.later(user)
        }
        else -> {
            delay(1)
            mutex.withLock { Nobody.work(user) }
        }
    }

    object Nobody {
        fun work(user: String): String = Work.now(user)
    }

    private fun handle(exchange: HttpExchange) {
        val (_, path, user) = exchange.requestURI.path.split("/")
        val send = { text: String ->
            exchange.sendResponseHeaders(200, text.length.toLong())
            exchange.responseBody.write(text.toByteArray())
            exchange.close()
        }

        MDC.put("user", exchange.requestHeaders.getFirst("X-User"))
        try {
            if (path == "now") send(Work.now(user)) else scope.launch(dispatchers[path] ?: MDCContext()) { send(answer(path, user)) }
        } finally {
            MDC.clear()
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)

        server.executor = Executors.newFixedThreadPool(4)
        server.createContext("/") { handle(it) }
        server.start()
        println("port ${server.address.port}")
    }
}
