package jfrkit;

/** What a number in an event means. The order is that of {@code enum jk_unit}. */
public enum Unit {
    NONE,
    /** A moment, as {@link System#nanoTime} has it. */
    TIMESTAMP_TICKS,
    /** A moment, as {@link System#currentTimeMillis} has it. */
    TIMESTAMP_MILLIS,
    /** A span of {@link System#nanoTime}. */
    TICKS,
    NANOSECONDS,
    MICROSECONDS,
    MILLISECONDS,
    SECONDS,
    BYTES,
    BITS,
    /** 0 to 1; float and double only. */
    PERCENTAGE,
    HERTZ,
    ADDRESS
}
