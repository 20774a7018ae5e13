package jfrkit.weave;

import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Functions that a CompletableFuture calls once it has its value, on whatever thread that comes: perhaps on one that works
 * for another user, who waits for the same value. Such a function belongs to the thread that gave it to the future, whose
 * context it has, or none. Changed classes of CompletableFuture call the public methods; {@link Weaver} inserts the calls.
 */
public final class Dependents {
    private Dependents() {
    }

    public static Runnable carried(Runnable f) {
        return Tasks.carriedInTurn(f);
    }

    public static Function<Object, Object> carried(Function<Object, Object> f) {
        return isFree(f) ? f : new OfOne(f);
    }

    public static BiFunction<Object, Object, Object> carried(BiFunction<Object, Object, Object> f) {
        return isFree(f) ? f : new OfTwo(f);
    }

    public static Consumer<Object> carried(Consumer<Object> f) {
        return isFree(f) ? f : new ByOne(f);
    }

    public static BiConsumer<Object, Object> carried(BiConsumer<Object, Object> f) {
        return isFree(f) ? f : new ByTwo(f);
    }

    /** There is no context that it could have. */
    private static boolean isFree(Object function) {
        return !Tasks.isUsed || function == null;
    }

    private static final class OfOne implements Function<Object, Object> {
        private final Function<Object, Object> function;
        private final int[] context;

        OfOne(Function<Object, Object> function) {
            this.function = function;
            context = Tasks.captured(function);
        }

        @Override
        public Object apply(Object value) {
            Object before = Tasks.enter(context);

            try {
                return function.apply(value);
            } finally {
                Tasks.forkEnded(before);
            }
        }
    }

    private static final class OfTwo implements BiFunction<Object, Object, Object> {
        private final BiFunction<Object, Object, Object> function;
        private final int[] context;

        OfTwo(BiFunction<Object, Object, Object> function) {
            this.function = function;
            context = Tasks.captured(function);
        }

        @Override
        public Object apply(Object value, Object other) {
            Object before = Tasks.enter(context);

            try {
                return function.apply(value, other);
            } finally {
                Tasks.forkEnded(before);
            }
        }
    }

    private static final class ByOne implements Consumer<Object> {
        private final Consumer<Object> function;
        private final int[] context;

        ByOne(Consumer<Object> function) {
            this.function = function;
            context = Tasks.captured(function);
        }

        @Override
        public void accept(Object value) {
            Object before = Tasks.enter(context);

            try {
                function.accept(value);
            } finally {
                Tasks.forkEnded(before);
            }
        }
    }

    private static final class ByTwo implements BiConsumer<Object, Object> {
        private final BiConsumer<Object, Object> function;
        private final int[] context;

        ByTwo(BiConsumer<Object, Object> function) {
            this.function = function;
            context = Tasks.captured(function);
        }

        @Override
        public void accept(Object value, Object other) {
            Object before = Tasks.enter(context);

            try {
                function.accept(value, other);
            } finally {
                Tasks.forkEnded(before);
            }
        }
    }
}
