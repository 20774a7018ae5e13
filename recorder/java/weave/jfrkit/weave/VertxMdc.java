package jfrkit.weave;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;

/**
 * The mapped diagnostic context of Quarkus. It is a part of the Vert.x context that the request runs in, not of the
 * thread: a program sets it once for a request and never clears it, and another thread that enters the same Vert.x
 * context has it, too. So the values are read again whenever a thread enters or leaves a Vert.x context.
 */
public final class VertxMdc {
    /** get(String) of a class that provides the values; the class keeps it, so nothing here keeps the class. */
    private static final ClassValue<MethodHandle> GET = new ClassValue<MethodHandle>() {
        @Override
        protected MethodHandle computeValue(Class<?> provider) {
            try {
                return MethodHandles.publicLookup()
                    .findVirtual(provider, "get", MethodType.methodType(String.class, String.class))
                    .asType(MethodType.methodType(String.class, Object.class, String.class));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    /** What provides the values; null: no program has such. */
    private static volatile WeakReference<Object> provider;

    private VertxMdc() {
    }

    /** A value is set through this object. */
    public static void used(Object mdc) {
        WeakReference<Object> known = provider;

        if (known == null || known.get() != mdc)
            provider = new WeakReference<>(mdc);
    }

    /** The calling thread has entered or left a Vert.x context. */
    public static void switched() {
        WeakReference<Object> known = provider;
        Object mdc = known == null ? null : known.get();

        if (mdc == null || Hooks.areOff())
            return;
        try {
            MethodHandle get = GET.get(mdc.getClass());
            MdcKey[] keys = Hooks.keys;
            String[] found = null;

            for (int i = 0; i < keys.length; i++) {
                String value = (String) get.invokeExact(mdc, keys[i].name);

                if (value != null && found == null)
                    found = new String[keys.length];
                if (value != null)
                    found[i] = value;
            }
            Hooks.continueAll(found);
        } catch (Throwable failure) {
            Hooks.failed(failure);
        }
    }

    /** A listener is added to a future. In Quarkus the Vert.x context in which it runs says for whom it works. */
    public static void added(Object listener) {
        if (provider == null)
            Tasks.sent(listener);
    }

    /** The future notifies it. What is returned is for {@link Tasks#forkEnded}. */
    public static Object notified(Object listener) {
        return provider == null ? Tasks.callbackBegins(listener) : null;
    }
}
