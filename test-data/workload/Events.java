import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Experimental;
import jdk.jfr.Frequency;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.Unsigned;

/**
 * A little of everything a recording can hold: every kind of field with its extremes, awkward
 * strings and thread names, exceptions, locks, files, sockets, class loading, virtual threads.
 *
 * java Events [ROUNDS]      JDK 11 or later
 */
public class Events {
    @Name("test.AllFields")
    @Label("All \"fields\" \\ of every kind")
    @Description("Every primitive, and what Java knows beside them")
    @Category({"Test", "Sub category"})
    static class AllFields extends Event {
        boolean z;
        byte b;
        char c;
        short s;
        int i;
        long j;
        float f;
        double d;
        @Label("A String")
        String text;
        Class<?> type;
        Thread thread;
        @Unsigned byte ub;
        @Unsigned short us;
        @Unsigned int ui;
        @Unsigned long uj;
    }

    @Name("test.Units")
    @Category("Test")
    static class Units extends Event {
        @Timestamp(Timestamp.TICKS) long ticks;
        @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long millis;
        @Timespan(Timespan.TICKS) long spanTicks;
        @Timespan(Timespan.NANOSECONDS) long spanNanos;
        @Timespan(Timespan.MICROSECONDS) long spanMicros;
        @Timespan(Timespan.MILLISECONDS) long spanMillis;
        @Timespan(Timespan.SECONDS) long spanSeconds;
        @DataAmount(DataAmount.BYTES) long bytes;
        @DataAmount(DataAmount.BITS) long bits;
        @Percentage float percent;
        @MemoryAddress long address;
        @Frequency long hertz;
        @Experimental int experimental;
    }

    @StackTrace(false)
    static class NoPackageNoStack extends Event {
        String only;
    }

    static final long[] NUMBERS = {0, 1, -1, 127, 128, 255, 256, -128, 32767, 65535, 1L << 31,
        -(1L << 31), (1L << 32) - 1, 1L << 53, (1L << 53) + 1, (1L << 56) - 1, 1L << 56,
        Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1, 1_500_000_000L, -61_500L};
    static final double[] REALS = {0, -0.0, 1, 0.1, 1e-3, 9.999e-4, 1e7, 9999999, 1e23, 2e23, 1e-5,
        Math.PI, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY, Float.MAX_VALUE, Float.MIN_VALUE, 1.23456789e17, 3.4e-39, 16777217};

    static String[] texts() {
        StringBuilder longer = new StringBuilder();
        for (int i = 0; i < 300; i++)
            longer.append("long ").append(i).append(' ');
        return new String[] {null, "", "a", "\"quotes\" and \\ and / and </script>",
            "tab\t nl\n cr\r ff\f bs\b nul\0 del\u007f", "\u00e4\u00f6\u00fc latin", "\u20ac euro",
            "\ud83d\ude00 beyond", "lone \ud83d high", "lone \ude00 low", "\u2028\u2029\ufeff\uffff",
            "a text that is long enough to be pooled by the recorder", longer.toString()};
    }

    static void fields() {
        String[] texts = texts();
        Class<?>[] types = {null, int.class, int[].class, String[][].class, Events.class,
            java.util.Map.Entry.class, AllFields.class};
        for (int n = 0; n < 66; n++) {
            AllFields e = new AllFields();
            long j = NUMBERS[n % NUMBERS.length];
            e.begin();
            e.z = n % 2 == 1;
            e.b = e.ub = (byte) j;
            e.c = (char) (n < 33 ? n : j);
            e.s = e.us = (short) j;
            e.i = e.ui = (int) j;
            e.j = e.uj = j;
            e.f = (float) REALS[n % REALS.length];
            e.d = REALS[n % REALS.length];
            e.text = texts[n % texts.length];
            e.type = types[n % types.length];
            e.thread = n % 3 == 0 ? null : Thread.currentThread();
            e.commit();

            Units u = new Units();
            u.ticks = n == 0 ? 0 : j;
            u.millis = n < 11 ? j : 1_700_000_000_000L + n * 60_000L - n % 7 * 100;
            u.spanTicks = u.spanNanos = u.spanMicros = u.spanMillis = u.spanSeconds = j;
            u.bytes = u.bits = u.address = u.hertz = j;
            u.percent = n / 66f;
            u.experimental = n;
            u.commit();
        }
        NoPackageNoStack e = new NoPackageNoStack();
        e.only = "only";
        e.commit();
    }

    static int deep(int n) {
        return n == 0 ? thrown() : deep(n - 1) + 1;
    }

    static int thrown() {
        try {
            throw new IllegalStateException("for the recording: </script> \u00e4 \ud83d\ude00");
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    static final Object LOCK = new Object();
    static volatile Object sink;

    static void locks() throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (String name : new String[] {"plain", "\u00e4-thread", "\ud83d\ude00-thread", "a;b \"c\""}) {
            Thread t = new Thread(new ThreadGroup("group of " + name), () -> {
                for (int i = 0; i < 5; i++) {
                    synchronized (LOCK) {
                        LockSupport.parkNanos(12_000_000);
                        for (int k = 0; k < 200; k++)
                            sink = new byte[20_000];
                    }
                }
                fields();
            }, name);
            all.add(t);
            t.start();
        }
        synchronized (LOCK) {
            LOCK.wait(15);
        }
        for (Thread t : all)
            t.join();
    }

    static void files() throws IOException {
        File file = File.createTempFile("events", ".dat");
        try (RandomAccessFile f = new RandomAccessFile(file, "rw")) {
            for (int i = 0; i < 20; i++)
                f.write(new byte[100_000]);
            f.getFD().sync();
            f.seek(0);
            while (f.read(new byte[70_000]) > 0)
                ;
        }
        file.delete();
    }

    static void sockets() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread t = new Thread(() -> {
                try (Socket s = server.accept(); OutputStream out = s.getOutputStream()) {
                    Thread.sleep(25);
                    out.write(new byte[5000]);
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "sender");
            t.start();
            try (Socket s = new Socket(server.getInetAddress(), server.getLocalPort());
                 InputStream in = s.getInputStream()) {
                while (in.read(new byte[3000]) > 0)
                    ;
            }
            t.join();
        }
    }

    /** Virtual threads where the JDK has them (21); by reflection, so that older ones compile this. */
    static void virtualThreads() throws Exception {
        try {
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Runnable work = () -> {
                    LockSupport.parkNanos(1_000_000);
                    fields();
                };
                all.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, work));
            }
            for (Thread t : all)
                t.join();
        } catch (ReflectiveOperationException e) {
            System.out.println("no virtual threads");
        }
    }

    static long busy(long millis) {
        long n = 0, until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until)
            n += Integer.toString((int) n).hashCode();
        return n;
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        for (int i = 0; i < rounds; i++) {
            fields();
            deep(10);
            deep(100);
            locks();
            files();
            sockets();
            virtualThreads();
            System.gc();
            sink = busy(1500);
        }
    }
}
