package jfrkit;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;

/**
 * Keys of slf4j's mapped diagnostic context as a context, so that what loggers print about a thread
 * is on its events, too. Where slf4j is not there, nothing happens.
 *
 * <pre>
 * Mdc.install("mdc", "user", "requestId");      // once, early
 * MDC.put("user", "alice");
 * </pre>
 */
public final class Mdc {
    private final ContextType type;
    private final String[] keys;
    private final Object original;

    private Mdc(ContextType type, String[] keys, Object original) {
        this.type = type;
        this.keys = keys;
        this.original = original;
    }

    /**
     * Mirrors these keys, from now on, on every thread, in a context of this name.
     *
     * @return false when there is no slf4j whose adapter can be wrapped
     */
    public static boolean install(String context, String... keys) {
        ContextType type = ContextType.of(context, keys);

        try {
            Class<?> mdc = Libraries.load("org.slf4j.MDC");
            Class<?> adapter = Libraries.load("org.slf4j.spi.MDCAdapter");
            Object original = mdc.getMethod("getMDCAdapter").invoke(null);
            Mdc mirror = new Mdc(type, keys.clone(), original);
            Field field = field(mdc, adapter);
            field.setAccessible(true);
            field.set(null, Proxy.newProxyInstance(adapter.getClassLoader(), new Class<?>[] {adapter},
                (proxy, method, args) -> mirror.call(method, args)));
            mirror.setAll((Map<?, ?>) adapter.getMethod("getCopyOfContextMap").invoke(original));
            return true;
        } catch (ReflectiveOperationException | RuntimeException absent) {
            return false;
        }
    }

    /** Its name is not the same in all releases. */
    private static Field field(Class<?> mdc, Class<?> adapter) throws NoSuchFieldException {
        for (Field f : mdc.getDeclaredFields())
            if (f.getType() == adapter)
                return f;
        throw new NoSuchFieldException(adapter.getName());
    }

    private Object call(Method method, Object[] args) throws Throwable {
        Object result = Libraries.call(method, original, args);

        switch (method.getName()) {
        case "put":
            set(args[0], args[1]);
            break;
        case "remove":
            set(args[0], null);
            break;
        case "clear":
            type.clear();
            break;
        case "setContextMap":
            setAll((Map<?, ?>) args[0]);
            break;
        default:
            break;
        }
        return result;
    }

    private void set(Object key, Object value) {
        for (int i = 0; i < keys.length; i++)
            if (keys[i].equals(key))
                type.set(i, (String) value);
    }

    private void setAll(Map<?, ?> values) {
        String[] mine = new String[keys.length];

        for (int i = 0; i < mine.length; i++)
            mine[i] = values == null ? null : (String) values.get(keys[i]);
        type.set(mine);
    }
}
