import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/**
 * What reading nothing costs: IoCost. Prints "NAME NS", CPU time of the thread, the least of many short
 * rounds: of a stream's read() and of a channel's, each of which is one native call.
 */
public class IoCost {
    interface Work {
        void run(int n) throws IOException;
    }

    static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    static int sum;

    static void measure(String name, Work work) throws IOException {
        double least = 1e9;

        for (int round = 0; round < 400; round++) {
            long began = CPU.getCurrentThreadCpuTime();
            work.run(2000);
            least = Math.min(least, (double) (CPU.getCurrentThreadCpuTime() - began) / 2000);
        }
        System.out.printf("%s %.1f%n", name, least);
    }

    public static void main(String[] args) throws IOException {
        ByteBuffer room = ByteBuffer.allocateDirect(1);

        try (FileInputStream stream = new FileInputStream("/dev/null");
            FileChannel channel = FileChannel.open(Paths.get("/dev/null"), StandardOpenOption.READ)) {
            measure("stream", n -> {
                for (int i = 0; i < n; i++)
                    sum += stream.read();
            });
            measure("channel", n -> {
                for (int i = 0; i < n; i++) {
                    room.clear();
                    sum += channel.read(room);
                }
            });
        }
    }
}
