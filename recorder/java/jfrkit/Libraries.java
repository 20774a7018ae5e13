package jfrkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Libraries that may be there when a program runs, and are not needed. */
final class Libraries {
    private Libraries() {
    }

    /** A class as the program sees it: beside us, or in the thread's loader. */
    static Class<?> load(String name) throws ClassNotFoundException {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException elsewhere) {
            return Class.forName(name, true, Thread.currentThread().getContextClassLoader());
        }
    }

    /** Calls what a proxy stands for, and throws what that throws. */
    static Object call(Method method, Object target, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
