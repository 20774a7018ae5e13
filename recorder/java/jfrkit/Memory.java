package jfrkit;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The recorder's memory with the records of all threads, read and written by place. Every access is
 * a constant method handle, so a compiler makes one instruction of it: by MemorySegment where there
 * is one that needs no leave (22 and later), else by Unsafe, and where that is missing by the buffer.
 */
final class Memory {
    private static final ByteBuffer ALL = Native.memory().order(ByteOrder.nativeOrder());
    private static final Object SEGMENT = segment();
    private static final Object UNSAFE = SEGMENT == null ? unsafe() : null;

    /** What stands before a place: only Unsafe knows of addresses. */
    private static final long BASE = UNSAFE == null ? 0 : Native.memoryAddress();

    private static final MethodHandle GET_BYTE = get("Byte", byte.class), GET_INT = get("Int", int.class),
        GET_LONG = get("Long", long.class), PUT_BYTE = put("Byte", byte.class), PUT_INT = put("Int", int.class),
        PUT_LONG = put("Long", long.class);

    private Memory() {
    }

    static byte getByte(long at) {
        try {
            return (byte) GET_BYTE.invokeExact(BASE + at);
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    static int getInt(long at) {
        try {
            return (int) GET_INT.invokeExact(BASE + at);
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    static long getLong(long at) {
        try {
            return (long) GET_LONG.invokeExact(BASE + at);
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    static void putByte(long at, byte value) {
        try {
            PUT_BYTE.invokeExact(BASE + at, value);
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    static void putInt(long at, int value) {
        try {
            PUT_INT.invokeExact(BASE + at, value);
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    static void putLong(long at, long value) {
        try {
            PUT_LONG.invokeExact(BASE + at, value);
        } catch (Throwable never) {
            throw new AssertionError(never);
        }
    }

    private static Object segment() {
        String version = System.getProperty("java.specification.version");

        if (version.contains(".") || Integer.parseInt(version) < 22)
            return null; // 1.8, or what was there before was a preview
        try {
            return Class.forName("java.lang.foreign.MemorySegment").getMethod("ofBuffer", java.nio.Buffer.class)
                .invoke(null, ALL);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static Object unsafe() {
        try {
            Field the = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
            the.setAccessible(true);
            return the.get(null);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // a runtime image without it
        }
    }

    /** (long) to a value. */
    private static MethodHandle get(String name, Class<?> of) {
        return access("get", name, of, MethodType.methodType(of));
    }

    /** (long, value) to nothing. */
    private static MethodHandle put(String name, Class<?> of) {
        return access("put", name, of, MethodType.methodType(void.class, of));
    }

    private static MethodHandle access(String verb, String name, Class<?> of, MethodType type) {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodType full = type.insertParameterTypes(0, long.class);

        try {
            if (SEGMENT != null)
                return inSegment(lookup, verb.equals("put") ? "set" : verb, name, full);
            if (UNSAFE != null)
                return lookup.findVirtual(UNSAFE.getClass(), verb + name, full).bindTo(UNSAFE);
            if (verb.equals("put"))
                type = type.changeReturnType(ByteBuffer.class);
            return MethodHandles.explicitCastArguments(lookup.findVirtual(ByteBuffer.class,
                of == byte.class ? verb : verb + name, type.insertParameterTypes(0, int.class)).bindTo(ALL), full);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static MethodHandle inSegment(MethodHandles.Lookup lookup, String verb, String name, MethodType full)
        throws ReflectiveOperationException {
        Class<?> layouts = Class.forName("java.lang.foreign.ValueLayout");
        Object layout = layouts.getField("JAVA_" + name.toUpperCase(java.util.Locale.ROOT)
            + (name.equals("Byte") ? "" : "_UNALIGNED")).get(null);
        MethodHandle h = lookup.findVirtual(Class.forName("java.lang.foreign.MemorySegment"), verb,
            full.insertParameterTypes(0, Class.forName("java.lang.foreign.ValueLayout$Of" + name)));

        return MethodHandles.insertArguments(h, 0, SEGMENT, layout);
    }
}
