import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.StandardOpenOption;

/** Reads that wait and such that do not, each of another number of bytes, and calls that fail. */
public class IoWaits {
    static final int PAUSE = 300; // milliseconds

    interface Task {
        void run() throws Exception;
    }

    static Thread later(Task task) {
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(PAUSE);
                task.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        t.start();
        return t;
    }

    /** A read that ends in vain, and one that waits with and without a limit. */
    static void socket(int bytes) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
            Socket to = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket from = server.accept()) {
            InputStream in = from.getInputStream();
            Thread t = later(() -> to.getOutputStream().write(new byte[bytes]));
            in.read(new byte[1000]);
            t.join();
            from.setSoTimeout(PAUSE);
            try {
                in.read(new byte[1000]);
            } catch (SocketTimeoutException expected) {
                to.getOutputStream().write(new byte[bytes + 1]);
            }
            in.read(new byte[1000]);
            from.setSoTimeout(100 * PAUSE);
            t = later(() -> to.getOutputStream().write(new byte[bytes + 2]));
            in.read(new byte[1000]);
            t.join();
        }
    }

    /** It asks in vain, waits elsewhere and asks again, which is another read. */
    static void channel() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel to = SocketChannel.open(server.getLocalAddress());
            SocketChannel from = server.accept();
            Selector selector = Selector.open()) {
            Thread t = later(() -> to.write(ByteBuffer.allocate(31)));
            from.read(ByteBuffer.allocate(100));
            t.join();
            from.configureBlocking(false);
            from.register(selector, SelectionKey.OP_READ);
            from.read(ByteBuffer.allocate(100));
            t = later(() -> to.write(ByteBuffer.allocate(32)));
            selector.select();
            from.read(ByteBuffer.allocate(100));
            t.join();
        }
    }

    /** What has no peer is no socket; what fails has been tried. */
    static void others(File dir) throws Exception {
        Pipe pipe = Pipe.open();
        FileInputStream closed = new FileInputStream(new File(dir, "file"));

        pipe.sink().write(ByteBuffer.allocate(41));
        pipe.source().read(ByteBuffer.allocate(100));
        closed.close();
        try {
            closed.read(new byte[10]);
        } catch (IOException expected) {
            System.out.println("closed");
        }
        try (FileOutputStream full = new FileOutputStream("/dev/full")) {
            full.write(new byte[10]);
        } catch (IOException expected) {
            System.out.println("full");
        }
        try (FileChannel full = FileChannel.open(new File("/dev/full").toPath(), StandardOpenOption.WRITE)) {
            full.write(ByteBuffer.allocate(10));
        } catch (IOException expected) {
            System.out.println("full");
        }
    }

    public static void main(String[] args) throws Exception {
        File dir = new File(args[0]);

        dir.mkdirs();
        new File(dir, "file").createNewFile();
        socket(11);
        channel();
        others(dir);
        try {
            virtual(Thread.class.getMethod("startVirtualThread", Runnable.class));
        } catch (NoSuchMethodException old) {
            System.out.println("no virtual threads");
        }
    }

    /** Many at once, so that they change their carriers. */
    static void virtual(Method start) throws Exception {
        Thread[] all = new Thread[10];

        for (int i = 0; i < all.length; i++) {
            int bytes = 50 + 5 * i;
            all[i] = (Thread) start.invoke(null, (Runnable) () -> {
                try {
                    socket(bytes);
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
        }
        for (Thread t : all)
            t.join();
    }
}
