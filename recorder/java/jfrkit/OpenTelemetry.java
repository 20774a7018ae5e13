package jfrkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;

/**
 * The trace and span id of OpenTelemetry's current span as a context "otel" with "trace_id" and
 * "span_id". Where its API is not there, nothing happens.
 *
 * <pre>
 * OpenTelemetry.install();      // first in main: before anything asks for the current context
 * </pre>
 */
public final class OpenTelemetry {
    private static final ContextType TYPE = ContextType.of("otel", "trace_id", "span_id");

    private volatile boolean isReached;
    private final Method spanOf, contextOf, isValid, traceId, spanId, current;
    private final Class<?> storage, scope;

    private OpenTelemetry() throws ReflectiveOperationException {
        Class<?> span = Libraries.load("io.opentelemetry.api.trace.Span");
        Class<?> spanContext = Libraries.load("io.opentelemetry.api.trace.SpanContext");

        storage = Libraries.load("io.opentelemetry.context.ContextStorage");
        scope = Libraries.load("io.opentelemetry.context.Scope");
        current = storage.getMethod("current");
        spanOf = span.getMethod("fromContext", Libraries.load("io.opentelemetry.context.Context"));
        contextOf = span.getMethod("getSpanContext");
        isValid = spanContext.getMethod("isValid");
        traceId = spanContext.getMethod("getTraceId");
        spanId = spanContext.getMethod("getSpanId");
    }

    /**
     * Follows the current context of every thread.
     *
     * @return false if the program has no OpenTelemetry, or if its contexts cannot be followed any more; a line on
     *         standard error then says why
     */
    public static boolean install() {
        try {
            OpenTelemetry otel = new OpenTelemetry();
            Function<Object, Object> wrap = otel::wrap;
            otel.storage.getMethod("addWrapper", Function.class).invoke(null, wrap);
            if (otel.isReached())
                return true;
            System.err.println("jfrkit: OpenTelemetry.install() has no effect: a context was current before, or the"
                + " OpenTelemetry Java agent keeps contexts itself; call it first in main, or record with"
                + " --context-source otel");
            return false;
        } catch (ReflectiveOperationException | RuntimeException absent) {
            return false;
        }
    }

    /** Makes a context current, and looks whether the wrapper is asked. */
    private boolean isReached() throws ReflectiveOperationException {
        Class<?> context = Libraries.load("io.opentelemetry.context.Context");
        Object now = context.getMethod("current").invoke(null);

        scope.getMethod("close").invoke(context.getMethod("makeCurrent").invoke(now));
        return isReached;
    }

    private Object wrap(Object original) {
        return proxy(storage, (proxy, method, args) -> {
            Object result = Libraries.call(method, original, args);

            if (!method.getName().equals("attach"))
                return result;
            isReached = true;
            set(args[0]);
            return wrapScope(result, original);
        });
    }

    /** What is current when the scope has been closed is what its thread had before. */
    private Object wrapScope(Object original, Object storage) {
        return proxy(scope, (proxy, method, args) -> {
            Object result = Libraries.call(method, original, args);

            if (method.getName().equals("close"))
                set(current.invoke(storage));
            return result;
        });
    }

    private void set(Object context) throws ReflectiveOperationException {
        Object ids = context == null ? null : contextOf.invoke(spanOf.invoke(null, context));

        if (ids == null || !(Boolean) isValid.invoke(ids))
            TYPE.clear();
        else
            TYPE.set((String) traceId.invoke(ids), (String) spanId.invoke(ids));
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
