package jfrkit;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A type of event that the program records itself, beside those of the JVM.
 *
 * <pre>
 * static final EventType UPLOAD = EventType.define("shop.Upload").label("Upload")
 *     .category("Shop", "Files")
 *     .fields(Field.ofString("path"), Field.ofLong("size").unit(Unit.BYTES))
 *     .build();
 *
 * Event e = UPLOAD.begin();
 * ...
 * if (e.shouldCommit())
 *     e.set(0, path).set(1, size).commit();
 * </pre>
 *
 * Settings of a recording (.jfc) apply by the type's name: enabled, threshold, stackTrace,
 * withContext, throttle, and for types with contextual fields emit: always, used (if something else
 * was recorded on the thread meanwhile), never. Without the recorder in the process all of this does nothing. At most 128
 * types in a process, which live as long as it does.
 */
public final class EventType {
    private static final int MAX_FIELDS = 32;

    private final String name;
    private final String[] texts;
    private final int[] numbers;
    private final int flags;
    private final long threshold;
    final Field[] fields;
    final Event none = new Event(this); // what there is when nobody wants one
    private int id; // 0: not known to the recorder; benign race, the same for all threads
    private int seen; // attempts of the recorder's at being there
    private volatile boolean isRegistered;

    private EventType(Definition d) {
        name = d.name;
        texts = d.texts();
        numbers = d.numbers();
        flags = d.flags;
        threshold = d.threshold;
        isRegistered = d.isRegistered;
        fields = d.fields.toArray(new Field[0]);
    }

    /** Begins the definition of a type, by its name: "shop.Upload". */
    public static Definition define(String name) {
        return new Definition(name);
    }

    public String name() {
        return name;
    }

    /** Is there a recording that wants events of this type? */
    public boolean isEnabled() {
        return threshold() != Long.MAX_VALUE;
    }

    /** Why the recorder does not take this type, or null. */
    public String problem() {
        return id() < 0 ? EventNative.text(id) : null;
    }

    /** From now on there are events of this type, as of all types but those defined otherwise. */
    public void register() {
        isRegistered = true;
        id();
    }

    /** No events of this type any more, until it is registered again; recordings keep those they have. */
    public void unregister() {
        isRegistered = false;
    }

    /** An event that begins now. */
    public Event begin() {
        return threshold() == Long.MAX_VALUE ? none : new Event(this, System.nanoTime());
    }

    long threshold() {
        int number = id();
        LongBuffer all = EventNative.thresholds;

        return number <= 0 || all == null || !isRegistered ? Long.MAX_VALUE : all.get(number);
    }

    int id() {
        return id != 0 || !EventNative.ACTIVE ? id : ask();
    }

    /** Asks once for each time that the recorder said it is there. */
    private int ask() {
        int connected = EventNative.connected();

        if (connected == 0 || connected == seen || !isRegistered)
            return 0;
        id = EventNative.define(texts, numbers, flags, threshold);
        seen = connected;
        return id;
    }

    @Override
    public String toString() {
        return name + Arrays.toString(fields);
    }

    /** A type in the making. */
    public static final class Definition extends Described<Definition> {
        private final String name;
        private final List<Field> fields = new ArrayList<>();
        private String category;
        private long threshold;
        private boolean isRegistered = true;

        private Definition(String name) {
            if (name == null || name.isEmpty())
                throw new IllegalArgumentException("an event type needs a name");
            this.name = name;
        }

        @Override
        Definition self() {
            return this;
        }

        /** Where readers show it: a path, the outermost first. */
        public Definition category(String... path) {
            category = String.join("|", path);
            return this;
        }

        /** Behind those that there are; they are counted from 0 in {@link Event#set}. */
        public Definition fields(Field... more) {
            fields.addAll(Arrays.asList(more));
            return this;
        }

        /** Is it recorded unless settings say otherwise? It is. */
        public Definition enabled(boolean yes) {
            flags = yes ? flags & ~8 : flags | 8;
            return this;
        }

        /** Has it a stack trace unless settings say otherwise? It has. */
        public Definition stackTrace(boolean yes) {
            flags = yes ? flags & ~16 : flags | 16;
            return this;
        }

        /** Shorter events are not recorded, unless settings say otherwise. */
        public Definition threshold(long nanoseconds) {
            threshold = nanoseconds;
            return this;
        }

        /** Is it registered from the beginning? It is; else {@link EventType#register} does that. */
        public Definition registered(boolean yes) {
            isRegistered = yes;
            return this;
        }

        /**
         * The type. What the recorder refuses is told by {@link EventType#problem}.
         *
         * @throws IllegalArgumentException when two fields have one name, or there are more than 32
         */
        public EventType build() {
            if (fields.size() > MAX_FIELDS)
                throw new IllegalArgumentException(name + " has more than " + MAX_FIELDS + " fields");
            for (int i = 0; i < fields.size(); i++)
                for (int k = 0; k < i; k++)
                    if (fields.get(i).name.equals(fields.get(k).name))
                        throw new IllegalArgumentException(name + " has two fields "
                            + fields.get(i).name);
            EventType type = new EventType(this);
            type.id();
            return type;
        }

        private String[] texts() {
            List<String> all = new ArrayList<>(Arrays.asList(name, label, description, category));

            for (Field f : fields)
                all.addAll(Arrays.asList(f.name, f.label, f.description));
            return all.toArray(new String[0]);
        }

        private int[] numbers() {
            int[] all = new int[3 * fields.size()];

            for (int i = 0; i < fields.size(); i++) {
                all[3 * i] = fields.get(i).kind;
                all[3 * i + 1] = fields.get(i).unit.ordinal();
                all[3 * i + 2] = fields.get(i).flags;
            }
            return all;
        }
    }
}
