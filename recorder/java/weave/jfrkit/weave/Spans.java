package jfrkit.weave;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * OpenTelemetry's current span as values of a context. The API is the program's own or the one that the Java agent
 * carries under other names, so its methods are called by handles, which are looked up once for each copy of it.
 *
 * The name and the route are those of the local root: the span that began in this process. Both become known while
 * it is current, hence the thread remembers which one it is.
 */
final class Spans {
    /** Keys of baggage ("baggage:user") and attributes of the local root. */
    private static volatile String[] more = {};

    /** Where a thread's record has the values; null: only the agent may set them. */
    private static volatile Place place;

    private static final String BAGGAGE = "baggage:";
    private static final String KIND = "kind";
    private static final String HTTP_ROUTE = "http.route";
    private static final int NAME = 2; // attributes of the context; the selected ones follow
    private static final int ROUTE = 3;
    private static final int MORE = 4;

    /** Hashes of roots that have been current. A root is forgotten when another one takes its slot. */
    private static final AtomicIntegerArray BEGUN = new AtomicIntegerArray(4096);

    private static Entries entries = new Entries(more); // a race only makes it twice

    /** What is current on a thread; a member of {@link ThreadContext}. */
    static final class Current {
        Object root;
        String trace;
        String parsed; // the trace whose bytes these are: spans of one trace share the text
        long high;
        long low;
        String parsedSpan; // a span is current again when one inside of it has ended
        long span;
        private final ByteBuffer digits = ByteBuffer.allocate(16);

        void parse(String trace, String id) {
            if (trace != parsed) {
                high = bytes(trace, 0);
                low = bytes(trace, 16);
                parsed = trace;
            }
            if (id != parsedSpan) {
                span = bytes(id, 0);
                parsedSpan = id;
            }
        }

        /** Eight bytes of an id, which 16 hexadecimal digits from there on are; 0: it has none there. */
        @SuppressWarnings("deprecation") // all of these are ASCII
        private long bytes(String id, int from) {
            if (id.length() < from + 16)
                return 0;
            id.getBytes(from, from + 16, digits.array(), 0);
            return value(digits.getLong(0)) << 32 | value(digits.getLong(8));
        }

        /** Of eight digits, the first one in the highest byte. */
        private static long value(long digits) {
            long v = (digits & 0x0f0f0f0f0f0f0f0fL) + 9 * (digits >>> 6 & 0x0101010101010101L); // by digit; letters have bit 6

            v = (v >>> 4 | v) & 0x00ff00ff00ff00ffL; // by byte
            v = (v >>> 8 | v) & 0x0000ffff0000ffffL;
            return (v >>> 16 | v) & 0xffffffffL;
        }
    }

    /** The context of spans in the record of a thread. */
    private static final class Place {
        private final int type; // index
        private final int first; // slot
        private final int n; // slots

        /** Has the agent set a span? It reports sources of contexts that never set any. */
        boolean isDelivered;

        Place(int type, int first, int n) {
            this.type = type;
            this.first = first;
            this.n = n;
        }

        /** Sets the values of the calling thread without a call of the agent. name, route: references of {@link Texts}.
         *  False: the agent has to set them. */
        boolean set(ThreadContext thread, int how, long high, long low, long span, long name, long route) {
            return isDelivered && thread != null && Texts.isCurrent(name) && Texts.isCurrent(route)
                && thread.set(type, first, n, words(high), words(low), words(span),
                    Texts.number(name) | (long) Texts.number(route) << 32, how);
        }

        boolean clear(ThreadContext thread) {
            return thread != null && thread.set(type, first, n, 0, 0, 0, 0, Record.BEGINS);
        }

        /** Two slots, of which the first has the upper half of an id. */
        private static long words(long id) {
            return Long.rotateLeft(id, 32);
        }
    }

    private Spans() {
    }

    /** The agent records spans from now on, with these of {@link #more}; or, if there is no place, leaves the records to
     *  the agent. */
    static void record(String[] more, int[] places) {
        Spans.more = more;
        Spans.place = places.length == 0 || places[2] == 0 ? null : new Place(places[0], places[1], places[2]);
    }

    static void current(Object context, Class<?> storage) throws Throwable {
        Api api = context == null ? null : Api.OF.get(storage);

        if (context == null || context == api.empty) // mostly: a span ends, and none was current before it
            clear();
        else
            set(context, api);
    }

    private static void clear() {
        ThreadContext thread = ThreadContext.known();
        Current mine = thread == null ? null : thread.span;
        Place known = place;

        if (mine != null) {
            mine.root = null;
            mine.trace = null;
        }
        if (known == null || !known.clear(thread))
            Hooks.clearSpan();
    }

    private static void set(Object context, Api api) throws Throwable {
        Object span = api.span(context);
        Object ids = span == null ? null : api.ids(span);
        String trace = null;
        Object root = null;
        ThreadContext thread = ThreadContext.known();
        Current mine = thread == null ? null : thread.span;

        if (ids != null && api.isValid(ids)) {
            Tasks.use();
            if (thread == null)
                thread = ThreadContext.mine();
            if (mine == null)
                thread.span = mine = new Current();
            trace = api.trace(ids);
            mine.parse(trace, api.id(ids));
            root = root(api, context, span, trace, mine);
        }
        Readable readable = root == null ? null : Readable.of(root);
        int how = trace != null && trace.equals(mine.trace) ? Record.CHANGES_SCOPE
            : root == null || isFirst(api, span, ids, root, readable, mine) ? Record.BEGINS : Record.CONTINUES;
        if (mine != null) {
            mine.root = root;
            mine.trace = trace;
        }
        String name = root == null ? null : readable.name(root);
        String route = root == null ? null : readable.attribute(root, api.route);
        if (route == null)
            route = routeOf(name);
        report(thread, how, trace == null ? null : mine, name, route, more.length == 0 ? null : more(api, context, root));
    }

    /** mine: null: no span is current. */
    private static void report(ThreadContext thread, int how, Current mine, String name, String route, String[] more) {
        long high = mine == null ? 0 : mine.high;
        long low = mine == null ? 0 : mine.low;
        long span = mine == null ? 0 : mine.span;
        long nameText = Texts.reference(name);
        long routeText = Texts.reference(route);
        Place known = place;

        if (more == null && known != null && known.set(thread, how, high, low, span, nameText, routeText))
            return;
        if (!Hooks.span(how, high, low, span, nameText, routeText, more)
            && !Hooks.span(how, high, low, span, Texts.fresh(name), Texts.fresh(route), more))
            Hooks.span(how, high, low, span, 0, 0, more); // the table forgets once a second at most
        if (known != null && mine != null)
            known.isDelivered = true;
    }

    /**
     * Of a span of an HTTP server, "GET /orders/{id}", whose attribute may not come before its end. "/*" is no
     * route: it stands for a servlet that serves all paths, and its framework sets the route a moment later.
     */
    private static String routeOf(String name) {
        int blank = name == null ? -1 : name.indexOf(" /");

        for (int i = 0; i < blank; i++)
            if (name.charAt(i) < 'A' || name.charAt(i) > 'Z')
                return null;
        return blank <= 0 || name.endsWith(" /*") ? null : name.substring(blank + 1);
    }

    /**
     * A request begins when its local root becomes current for the first time, in whatever thread. A root is known by its
     * id, which costs less than the identity of a new object. But a remote one is the caller's span, whose id several
     * requests may have.
     */
    private static boolean isFirst(Api api, Object span, Object ids, Object root, Readable readable, Current mine)
        throws Throwable {
        if (span != root || readable.hasLocalParent(root, api))
            return false;
        int hash = api.isRemote(ids) ? System.identityHashCode(root) : (int) mine.span;
        int place = hash & BEGUN.length() - 1;

        return BEGUN.get(place) != hash && BEGUN.getAndSet(place, hash) != hash;
    }

    /** The agent knows it; else it is the span that has no parent here, or what was the root of this trace before. */
    private static Object root(Api api, Object context, Object span, String trace, Current before) throws Throwable {
        Object known = api.localRoot == null ? null : (Object) api.localRoot.invokeExact(context);

        if (known != null)
            return known;
        if (before.root != null && trace.equals(before.trace) && Readable.of(span).hasLocalParent(span, api))
            return before.root;
        return span;
    }

    /** The selected values; null: there is none. */
    private static String[] more(Api api, Object context, Object root) throws Throwable {
        String[] wanted = more;
        String[] entries = entries(wanted);
        String[] found = null;
        Object baggage = null;

        for (int i = 0; i < wanted.length; i++) {
            String value = null;

            if (entries[i] != null) {
                if (baggage == null)
                    baggage = api.baggage(context);
                value = api.entry(baggage, entries[i]);
            } else if (root != null) {
                value = wanted[i].equals(KIND) ? Readable.of(root).kind(root)
                    : Readable.of(root).attribute(root, (Object) api.key.invokeExact(wanted[i]));
            }
            if (value != null && found == null)
                found = new String[wanted.length];
            if (value != null)
                found[i] = value;
        }
        return found;
    }

    /** Of what is selected: the keys of baggage, null for attributes. */
    private static String[] entries(String[] wanted) {
        Entries known = entries;

        if (known.wanted != wanted)
            entries = known = new Entries(wanted);
        return known.keys;
    }

    private static final class Entries {
        final String[] wanted;
        final String[] keys;

        Entries(String[] wanted) {
            this.wanted = wanted;
            keys = new String[wanted.length];
            for (int i = 0; i < keys.length; i++)
                keys[i] = wanted[i].startsWith(BAGGAGE) ? wanted[i].substring(BAGGAGE.length()) : null;
        }
    }

    private static boolean isRoot(Object span) {
        ThreadContext thread = ThreadContext.known();

        return thread != null && thread.span != null && thread.span.root == span;
    }

    static void renamed(Object span, String name) {
        if (!isRoot(span))
            return;
        String route = routeOf(name);

        Hooks.spanPart(NAME, name);
        if (route != null)
            Hooks.spanPart(ROUTE, route);
    }

    static void attribute(Object span, Object key, Object value) {
        if (!isRoot(span) || key == null || value == null)
            return;
        String name = key.toString();
        String[] wanted = more;

        if (name.equals(HTTP_ROUTE))
            Hooks.spanPart(ROUTE, value.toString());
        for (int i = 0; i < wanted.length; i++)
            if (name.equals(wanted[i]))
                Hooks.spanPart(MORE + i, value.toString());
    }

    /** The methods of one copy of the API. */
    private static final class Api {
        static final ClassValue<Api> OF = new ClassValue<Api>() {
            @Override
            protected Api computeValue(Class<?> storage) {
                try {
                    return new Api(storage);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("this release of OpenTelemetry is not known: " + e);
                }
            }
        };
        private static final String STORAGE = "context.ThreadLocalContextStorage";
        private static final String SHADED = "io.opentelemetry.javaagent.shaded.";

        /** The first copy of the API whose classes are never unloaded. */
        private static Api lasting;

        private final MethodHandle span, ids, isValid, isRemote, trace, id, baggage, entry;
        private final boolean isConstant; // see Constants

        final MethodHandle localRoot, key;
        final Object route; // the key of HTTP_ROUTE
        final Object empty; // the context without anything; null: not known

        Api(Class<?> storage) throws ReflectiveOperationException {
            String prefix = storage.getName().substring(0, storage.getName().indexOf(STORAGE));
            ClassLoader loader = storage.getClassLoader();
            Class<?> context = Class.forName(prefix + "context.Context", false, loader);
            Class<?> spans = Class.forName(prefix + "api.trace.Span", false, loader);
            Class<?> spanContext = Class.forName(prefix + "api.trace.SpanContext", false, loader);
            Class<?> baggages = Class.forName(prefix + "api.baggage.Baggage", false, loader);
            Class<?> keys = Class.forName(prefix + "api.common.AttributeKey", false, loader);

            span = handle(spans.getMethod("fromContext", context), Object.class, Object.class);
            ids = handle(spans.getMethod("getSpanContext"), Object.class, Object.class);
            isValid = handle(spanContext.getMethod("isValid"), boolean.class, Object.class);
            isRemote = handle(spanContext.getMethod("isRemote"), boolean.class, Object.class);
            trace = handle(spanContext.getMethod("getTraceId"), String.class, Object.class);
            id = handle(spanContext.getMethod("getSpanId"), String.class, Object.class);
            baggage = handle(baggages.getMethod("fromContext", context), Object.class, Object.class);
            entry = handle(baggages.getMethod("getEntryValue", String.class), String.class, Object.class, String.class);
            key = handle(keys.getMethod("stringKey", String.class), Object.class, String.class);
            route = keys.getMethod("stringKey", String.class).invoke(null, HTTP_ROUTE);
            empty = empty(context);
            localRoot = prefix.startsWith(SHADED) ? localRoot(loader, context) : null;
            isConstant = becomesLasting(loader);
        }

        private boolean becomesLasting(ClassLoader loader) {
            synchronized (Api.class) {
                if (lasting == null && (loader == null || loader == ClassLoader.getSystemClassLoader()))
                    lasting = this;
                return lasting == this;
            }
        }

        Object span(Object context) throws Throwable {
            return isConstant ? (Object) Constants.SPAN.invokeExact(context) : (Object) span.invokeExact(context);
        }

        Object ids(Object span) throws Throwable {
            return isConstant ? (Object) Constants.IDS.invokeExact(span) : (Object) ids.invokeExact(span);
        }

        boolean isValid(Object ids) throws Throwable {
            return isConstant ? (boolean) Constants.IS_VALID.invokeExact(ids) : (boolean) isValid.invokeExact(ids);
        }

        boolean isRemote(Object ids) throws Throwable {
            return isConstant ? (boolean) Constants.IS_REMOTE.invokeExact(ids) : (boolean) isRemote.invokeExact(ids);
        }

        String trace(Object ids) throws Throwable {
            return isConstant ? (String) Constants.TRACE.invokeExact(ids) : (String) trace.invokeExact(ids);
        }

        String id(Object ids) throws Throwable {
            return isConstant ? (String) Constants.ID.invokeExact(ids) : (String) id.invokeExact(ids);
        }

        Object baggage(Object context) throws Throwable {
            return isConstant ? (Object) Constants.BAGGAGE.invokeExact(context) : (Object) baggage.invokeExact(context);
        }

        String entry(Object of, String key) throws Throwable {
            return isConstant ? (String) Constants.ENTRY.invokeExact(of, key) : (String) entry.invokeExact(of, key);
        }

        /** What every span needs, of the lasting copy: a compiler inlines what a constant handle calls. */
        private static final class Constants {
            static final MethodHandle SPAN = lasting.span, IDS = lasting.ids, IS_VALID = lasting.isValid,
                IS_REMOTE = lasting.isRemote, TRACE = lasting.trace, ID = lasting.id, BAGGAGE = lasting.baggage,
                ENTRY = lasting.entry;
        }

        /** Null if it is not known. */
        private static Object empty(Class<?> context) {
            try {
                return context.getMethod("root").invoke(null);
            } catch (ReflectiveOperationException | LinkageError other) {
                return null;
            }
        }

        private static MethodHandle localRoot(ClassLoader loader, Class<?> context) {
            try {
                Class<?> roots = Class.forName(SHADED + "instrumentation.api.instrumenter.LocalRootSpan", false, loader);

                return handle(roots.getMethod("fromContextOrNull", context), Object.class, Object.class);
            } catch (ReflectiveOperationException older) {
                return null;
            }
        }
    }

    static MethodHandle handle(Method method, Class<?> result, Class<?>... arguments) throws IllegalAccessException {
        Lookup lookup = MethodHandles.publicLookup();

        return lookup.unreflect(method).asType(MethodType.methodType(result, arguments));
    }

    /** What can be read of a span: of the SDK's, by its interface ReadableSpan; of others nothing. */
    private static final class Readable {
        private static final ClassValue<Readable> OF = new ClassValue<Readable>() {
            @Override
            protected Readable computeValue(Class<?> span) {
                try {
                    return new Readable(interfaceOf(span));
                } catch (ReflectiveOperationException | RuntimeException other) {
                    return new Readable();
                }
            }
        };

        private final MethodHandle name, kind, parent, attribute;

        private Readable() {
            name = kind = parent = attribute = null;
        }

        private Readable(Class<?> readable) throws ReflectiveOperationException {
            Method get = null;

            for (Method m : readable.getMethods())
                if (m.getName().equals("getAttribute") && m.getParameterTypes().length == 1)
                    get = m;
            name = handle(readable.getMethod("getName"), String.class, Object.class);
            kind = handle(readable.getMethod("getKind"), Object.class, Object.class);
            parent = handle(readable.getMethod("getParentSpanContext"), Object.class, Object.class);
            attribute = get == null ? null : handle(get, Object.class, Object.class, Object.class);
        }

        private static Class<?> interfaceOf(Class<?> span) throws ClassNotFoundException {
            for (Class<?> c = span; c != null; c = c.getSuperclass())
                for (Class<?> i : c.getInterfaces())
                    if (i.getName().matches(".*io\\.opentelemetry\\.sdk\\.trace\\.Read(able|Write)Span"))
                        return i;
            throw new ClassNotFoundException("ReadableSpan");
        }

        static Readable of(Object span) {
            return OF.get(span.getClass());
        }

        String name(Object span) throws Throwable {
            return name == null ? null : (String) name.invokeExact(span);
        }

        String kind(Object span) throws Throwable {
            Object value = kind == null ? null : (Object) kind.invokeExact(span);

            return value == null ? null : value.toString();
        }

        String attribute(Object span, Object key) throws Throwable {
            Object value = attribute == null ? null : (Object) attribute.invokeExact(span, key);

            return value == null ? null : value.toString();
        }

        boolean hasLocalParent(Object span, Api api) throws Throwable {
            Object ids = parent == null ? null : (Object) parent.invokeExact(span);

            return ids != null && api.isValid(ids) && !api.isRemote(ids);
        }
    }
}
