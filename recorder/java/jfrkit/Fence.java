package jfrkit;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/** Keeps a compiler from moving stores: what is written before stays before what is written after. */
final class Fence {
    private static final MethodHandle RELEASE = find();

    private Fence() {
    }

    static void release() {
        try {
            RELEASE.invokeExact();
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    private static MethodHandle find() {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodType type = MethodType.methodType(void.class);

        try {
            try {
                return lookup.findStatic(Class.forName("java.lang.invoke.VarHandle"), "releaseFence", type);
            } catch (ClassNotFoundException java8) {
                Class<?> unsafe = Class.forName("sun.misc.Unsafe");
                Field the = unsafe.getDeclaredField("theUnsafe");
                the.setAccessible(true);
                return lookup.findVirtual(unsafe, "storeFence", type).bindTo(the.get(null));
            }
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
