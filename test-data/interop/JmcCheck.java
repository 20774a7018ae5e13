import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.openjdk.jmc.common.IDescribable;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.IMCThread;
import org.openjdk.jmc.common.IMCType;
import org.openjdk.jmc.common.io.IOToolkit;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.IType;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.internal.FlightRecordingLoader;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;
import org.openjdk.jmc.flightrecorder.rules.IResult;
import org.openjdk.jmc.flightrecorder.rules.IRule;
import org.openjdk.jmc.flightrecorder.rules.RuleRegistry;
import org.openjdk.jmc.flightrecorder.rules.util.RulesToolkit;

/**
 * Opens recordings as Mission Control does and fails on whatever it would stumble over: a chunk it
 * cannot take, a warning of its parser, an event type whose fields differ between chunks, an
 * attribute that cannot be read, one that a page needs and does not find, a rule that fails.
 *
 *     java JmcCheck [--count TYPE]... [--allow TEXT]... FILE...
 *
 * One line per file; exit code 1 when one is wrong. A warning that contains TEXT is none.
 */
@SuppressWarnings("deprecation")
public class JmcCheck {
    /** Attributes that Mission Control's pages read, by event type. Only types in the file count. */
    private static final Map<String, IAttribute<?>[]> PAGES = new TreeMap<>();

    private static void page(String type, IAttribute<?>... attributes) {
        PAGES.put(type, attributes);
    }

    static {
        page("jdk.ExecutionSample", JfrAttributes.START_TIME, JfrAttributes.EVENT_THREAD,
            JfrAttributes.EVENT_STACKTRACE, JdkAttributes.STACK_TRACE_TOP_METHOD,
            JdkAttributes.EVENT_THREAD_NAME);
        page("jdk.FileRead", JfrAttributes.DURATION, JfrAttributes.EVENT_THREAD,
            JdkAttributes.IO_PATH, JdkAttributes.IO_FILE_BYTES_READ, JdkAttributes.IO_FILE_READ_EOF,
            JfrAttributes.EVENT_STACKTRACE);
        page("jdk.FileWrite", JfrAttributes.DURATION, JfrAttributes.EVENT_THREAD,
            JdkAttributes.IO_PATH, JdkAttributes.IO_FILE_BYTES_WRITTEN);
        page("jdk.FileForce", JfrAttributes.DURATION, JdkAttributes.IO_PATH,
            JdkAttributes.IO_FILE_FORCE_METADATA);
        page("jdk.SocketRead", JfrAttributes.DURATION, JfrAttributes.EVENT_THREAD,
            JdkAttributes.IO_HOST, JdkAttributes.IO_ADDRESS, JdkAttributes.IO_PORT,
            JdkAttributes.IO_TIMEOUT, JdkAttributes.IO_SOCKET_BYTES_READ,
            JdkAttributes.IO_SOCKET_READ_EOS);
        page("jdk.SocketWrite", JfrAttributes.DURATION, JfrAttributes.EVENT_THREAD,
            JdkAttributes.IO_HOST, JdkAttributes.IO_ADDRESS, JdkAttributes.IO_PORT,
            JdkAttributes.IO_SOCKET_BYTES_WRITTEN);
        page("jdk.ThreadStart", JfrAttributes.EVENT_THREAD, JdkAttributes.EVENT_THREAD_NAME,
            JdkAttributes.EVENT_THREAD_ID, JdkAttributes.EVENT_THREAD_GROUP_NAME);
        page("jdk.ThreadEnd", JfrAttributes.EVENT_THREAD, JdkAttributes.EVENT_THREAD_ID);
        page("jdk.ThreadPark", JfrAttributes.DURATION, JfrAttributes.EVENT_THREAD);
        page("jdk.ObjectAllocationInNewTLAB", JfrAttributes.EVENT_THREAD,
            JdkAttributes.ALLOCATION_CLASS, JdkAttributes.ALLOCATION_SIZE, JdkAttributes.TLAB_SIZE);
        page("jdk.ObjectAllocationOutsideTLAB", JfrAttributes.EVENT_THREAD,
            JdkAttributes.ALLOCATION_CLASS, JdkAttributes.ALLOCATION_SIZE);
        page("jdk.ObjectAllocationSample", JfrAttributes.EVENT_THREAD, JdkAttributes.OBJECT_CLASS,
            JdkAttributes.SAMPLE_WEIGHT, JfrAttributes.EVENT_STACKTRACE);
        page("jdk.JavaMonitorEnter", JfrAttributes.DURATION, JfrAttributes.EVENT_THREAD,
            JdkAttributes.MONITOR_CLASS, JdkAttributes.MONITOR_ADDRESS);
        page("jdk.JavaExceptionThrow", JdkAttributes.EXCEPTION_THROWNCLASS,
            JdkAttributes.EXCEPTION_MESSAGE, JfrAttributes.EVENT_THREAD);
        page("jdk.CPULoad", JfrAttributes.END_TIME, JdkAttributes.JVM_USER, JdkAttributes.JVM_SYSTEM,
            JdkAttributes.JVM_TOTAL, JdkAttributes.MACHINE_TOTAL);
        page("jdk.JVMInformation", JdkAttributes.JVM_NAME, JdkAttributes.JVM_VERSION,
            JdkAttributes.JVM_ARGUMENTS, JdkAttributes.JAVA_ARGUMENTS, JdkAttributes.JVM_START_TIME,
            JdkAttributes.PID);
        page("jdk.OSInformation", JdkAttributes.OS_VERSION);
        page("jdk.CPUInformation", JdkAttributes.CPU_TYPE, JdkAttributes.CPU_DESCRIPTION,
            JdkAttributes.NUMBER_OF_SOCKETS, JdkAttributes.NUMBER_OF_CORES, JdkAttributes.HW_THREADS);
        page("jdk.PhysicalMemory", JdkAttributes.OS_MEMORY_TOTAL, JdkAttributes.OS_MEMORY_USED);
        page("jdk.InitialSystemProperty", JdkAttributes.ENVIRONMENT_KEY,
            JdkAttributes.ENVIRONMENT_VALUE);
        page("jdk.InitialEnvironmentVariable", JdkAttributes.ENVIRONMENT_KEY,
            JdkAttributes.ENVIRONMENT_VALUE);
        page("jdk.SystemProcess", JdkAttributes.PID, JdkAttributes.COMMAND_LINE);
        page("jdk.NativeLibrary", JdkAttributes.NATIVE_LIBRARY_NAME, JdkAttributes.BASE_ADDRESS,
            JdkAttributes.TOP_ADDRESS);
        page("jdk.GCHeapSummary", JdkAttributes.HEAP_USED, JdkAttributes.GC_WHEN, JdkAttributes.GC_ID,
            JdkAttributes.GC_HEAPSPACE_COMMITTED);
        page("jdk.GarbageCollection", JfrAttributes.DURATION, JdkAttributes.GC_ID,
            JdkAttributes.GC_NAME, JdkAttributes.GC_CAUSE, JdkAttributes.GC_LONGEST_PAUSE,
            JdkAttributes.GC_SUM_OF_PAUSES);
        page("jdk.ActiveRecording", JdkAttributes.RECORDING_ID, JdkAttributes.RECORDING_NAME,
            JdkAttributes.RECORDING_START);
        page("jdk.ActiveSetting", JdkAttributes.REC_SETTING_FOR, JdkAttributes.REC_SETTING_NAME,
            JdkAttributes.REC_SETTING_VALUE);
    }

    private final List<String> problems = new ArrayList<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private long values;

    private void problem(String text) {
        if (problems.size() < 20 && !problems.contains(text))
            problems.add(text);
    }

    /** JMC renames a type whose fields are not those of an earlier chunk: its name + a UUID. */
    private static boolean isSplit(String id) {
        return id.matches(".*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    }

    private void readValue(String name, Object value) {
        values++;
        if (value == null)
            return;
        if (value instanceof IMCStackTrace) {
            for (IMCFrame frame : ((IMCStackTrace) value).getFrames()) {
                if (frame.getMethod() == null || frame.getMethod().getType() == null)
                    problem(name + ": a frame without its method");
                else
                    frame.getMethod().getType().getPackage();
                String.valueOf(frame.getType());
            }
        } else if (value instanceof IMCThread) {
            ((IMCThread) value).getThreadName();
            if (((IMCThread) value).getThreadGroup() != null)
                ((IMCThread) value).getThreadGroup().getName();
        } else if (value instanceof IMCType) {
            ((IMCType) value).getFullName();
            ((IMCType) value).getTypeName();
        } else if (value instanceof IDescribable) {
            ((IDescribable) value).getName();
        }
        value.toString();
    }

    private void readType(IItemIterable items) {
        IType<IItem> type = items.getType();
        String id = type.getIdentifier();

        if (isSplit(id))
            problem(id + ": its fields differ between chunks");
        counts.merge(id, items.getItemCount(), Long::sum);
        for (IAttribute<?> attribute : type.getAttributes()) {
            IMemberAccessor<?, IItem> accessor = attribute.getAccessor(type);
            String name = id + "." + attribute.getIdentifier();

            for (IItem item : items) {
                try {
                    readValue(name, accessor.getMember(item));
                } catch (RuntimeException e) {
                    problem(name + ": " + e);
                    break;
                }
            }
        }
        for (IAttribute<?> attribute : PAGES.getOrDefault(id, new IAttribute<?>[0]))
            checkPage(id, items, attribute);
    }

    private void checkPage(String id, IItemIterable items, IAttribute<?> attribute) {
        IMemberAccessor<?, IItem> accessor = attribute.getAccessor(items.getType());
        boolean any = false;

        if (accessor == null) {
            problem(id + ": pages do not find " + attribute.getIdentifier());
            return;
        }
        for (IItem item : items)
            any |= accessor.getMember(item) != null;
        if (!any && items.hasItems())
            problem(id + ": pages find no value of " + attribute.getIdentifier());
    }

    private void evaluateRules(IItemCollection items) throws InterruptedException {
        Map<IRule, Future<IResult>> results = RulesToolkit.evaluateParallel(RuleRegistry.getRules(),
            items, null, 2);

        for (Map.Entry<IRule, Future<IResult>> entry : results.entrySet()) {
            try {
                if (entry.getValue().get(120, TimeUnit.SECONDS) == null)
                    problem("rule " + entry.getKey().getId() + " has no result");
            } catch (Exception e) {
                problem("rule " + entry.getKey().getId() + ": " + e);
            }
        }
    }

    /** JMC swallows a damaged last chunk by default; here it is an error. */
    private static void loadStrictly(File file) throws Exception {
        try (InputStream in = IOToolkit.openUncompressedStream(file)) {
            FlightRecordingLoader.loadStream(in, false, false);
        }
    }

    private boolean check(File file, List<String> wanted, List<String> allowed) {
        try {
            loadStrictly(file);
            IItemCollection items = JfrLoaderToolkit.loadEvents(Collections.singletonList(file));
            for (IItemIterable one : items)
                readType(one);
            evaluateRules(items);
        } catch (Exception e) {
            problem("cannot be opened: " + e);
        }
        for (String text : Warnings.take())
            problem(text);
        problems.removeIf(text -> allowed.stream().anyMatch(text::contains));
        StringBuilder line = new StringBuilder();
        long events = 0;

        for (long n : counts.values())
            events += n;
        line.append(problems.isEmpty() ? "ok " : "not ok ").append(file.getName());
        line.append(" events ").append(events).append(" values ").append(values);
        for (String type : wanted)
            line.append(' ').append(type).append(' ').append(counts.getOrDefault(type, 0L));
        System.out.println(line);
        for (String problem : problems)
            System.out.println("  " + problem);
        return problems.isEmpty();
    }

    private static final class Warnings extends Handler {
        private static final List<String> TEXTS = new ArrayList<>();

        static synchronized List<String> take() {
            List<String> texts = new ArrayList<>(TEXTS);
            TEXTS.clear();
            return texts;
        }

        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() < Level.INFO.intValue())
                return;
            synchronized (Warnings.class) {
                TEXTS.add(record.getLevel() + ": " + record.getMessage());
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }

    public static void main(String[] args) throws IOException {
        Logger root = Logger.getLogger("");
        List<String> wanted = new ArrayList<>();
        List<String> allowed = new ArrayList<>();
        boolean ok = true;

        for (Handler handler : root.getHandlers())
            root.removeHandler(handler);
        root.addHandler(new Warnings());
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--count"))
                wanted.add(args[++i]);
            else if (args[i].equals("--allow"))
                allowed.add(args[++i]);
            else
                ok &= new JmcCheck().check(new File(args[i]), wanted, allowed);
        }
        System.exit(ok ? 0 : 1);
    }
}
