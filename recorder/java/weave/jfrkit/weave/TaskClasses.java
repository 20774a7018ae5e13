package jfrkit.weave;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * What the class of a task, or of a pool's threads, says about contexts. Looked up once for each class, which keeps the
 * answer, so that nothing here keeps a class of the program.
 */
final class TaskClasses {
    private static final String COROUTINE = "kotlinx.coroutines.DispatchedTask";
    private static final String AROUND_COROUTINE = "io.opentelemetry.javaagent.instrumentation.kotlinxcoroutines.";
    private static final Set<String> OF_OTHERS = new HashSet<>(Arrays.asList(
        "scala.concurrent.impl.Promise$Transformation", "scala.concurrent.impl.CallbackRunnable",
        "okhttp3.internal.connection.RealCall$AsyncCall", "okhttp3.RealCall$AsyncCall", "io.grpc.internal.SerializingExecutor",
        "io.grpc.netty.WriteQueue$1", "io.grpc.netty.shaded.io.grpc.netty.WriteQueue$1"));
    private static final String DECORATED = "io.opentelemetry.javaagent.bootstrap.executors.ContextPropagatingRunnable";

    /** The class of the threads that run virtual threads; null before JDK 19. */
    private static final Class<?> CARRIER = jdkClass("jdk.internal.misc.CarrierThread");

    /** Of the tasks that ForkJoinPool.execute() puts around a Runnable; null if this JDK has another one. */
    private static final Class<?> AROUND = jdkClass("java.util.concurrent.ForkJoinTask$RunnableExecuteAction");

    private static final ClassValue<Boolean> IS_FACTORY_OF_CARRIERS = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> factory) {
            return factory.getName().startsWith("java.lang.VirtualThread");
        }
    };

    /** By the class of a task. Null: the task has another one inside, whose class decides. */
    private static final ClassValue<Boolean> HAS_OWN = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> task) {
            if (task.getName().equals(DECORATED))
                return null;
            for (Class<?> c = task; c != null; c = c.getSuperclass())
                if (c.getName().equals(COROUTINE) || c.getName().startsWith(AROUND_COROUTINE)
                    || OF_OTHERS.contains(c.getName()))
                    return true;
            return false;
        }
    };

    /** Reads the task inside of another one; null: this class has none. */
    private static final ClassValue<MethodHandle> INNER = new ClassValue<MethodHandle>() {
        @Override
        protected MethodHandle computeValue(Class<?> task) {
            if (!task.getName().equals(DECORATED))
                return null;
            try {
                Field inner = task.getDeclaredField("delegate");

                inner.setAccessible(true);
                return MethodHandles.lookup().unreflectGetter(inner)
                    .asType(MethodType.methodType(Object.class, Object.class));
            } catch (ReflectiveOperationException | RuntimeException other) {
                return null;
            }
        }
    };

    private TaskClasses() {
    }

    private static Class<?> jdkClass(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException | LinkageError other) {
            return null;
        }
    }

    static boolean isAround(Object task) {
        return task.getClass() == AROUND;
    }

    /**
     * Does the pool run virtual threads, or wake them up? Its tasks are virtual threads then, which have contexts of
     * their own, and are submitted wherever a virtual thread sleeps or is woken up, perhaps with locks of the JDK held.
     */
    static boolean runsVirtualThreads(Object pool) {
        Object factory = null;

        if (CARRIER == null)
            return false;
        if (pool instanceof ForkJoinPool)
            factory = ((ForkJoinPool) pool).getFactory();
        else if (pool instanceof ThreadPoolExecutor)
            factory = ((ThreadPoolExecutor) pool).getThreadFactory();
        return factory != null && IS_FACTORY_OF_CARRIERS.get(factory.getClass());
    }

    /** Does the calling thread run virtual threads? Those are its tasks. */
    static boolean isCarrier() {
        return CARRIER != null && CARRIER.isInstance(Thread.currentThread());
    }

    /**
     * Is the context of the task independent of the thread that submits it? A coroutine of Kotlin is submitted by the
     * thread that resumes it, which may work for another user. The coroutine sets the MDC while it runs, if it has one.
     * A task that holds a function is submitted by the thread that completes the future, or that has ended another call. It
     * has the context of the thread that gave the function ({@link Tasks#callbackBegins}). So do callbacks of a call of gRPC
     * and what several calls write to a connection.
     */
    static boolean hasOwn(Object task) throws Throwable {
        Boolean is = HAS_OWN.get(task.getClass());

        return is != null ? is : Boolean.TRUE.equals(HAS_OWN.get(submitted(task).getClass()));
    }

    /** The task as it was submitted: the OpenTelemetry Java agent puts another one around a lambda after that. */
    static Object submitted(Object task) throws Throwable {
        MethodHandle inner = INNER.get(task.getClass());

        return inner == null ? task : (Object) inner.invokeExact(task);
    }
}
