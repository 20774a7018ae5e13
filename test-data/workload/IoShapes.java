import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SeekableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Every way of input and output, and sleep, each on a thread that has its name: IoShapes DIRECTORY. */
public class IoShapes {
    interface Shape {
        void run(Path dir) throws Exception;
    }

    interface Sockets {
        void run(Socket a, Socket b) throws Exception;
    }

    interface SocketChannels {
        void run(SocketChannel a, SocketChannel b) throws Exception;
    }

    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    static final Map<String, Shape> shapes = new LinkedHashMap<>();

    static ByteBuffer bytes(int n) {
        return ByteBuffer.allocate(n);
    }

    static void pair(Sockets todo) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, LOOPBACK);
            Socket a = new Socket(LOOPBACK, server.getLocalPort());
            Socket b = server.accept()) {
            todo.run(a, b);
        }
    }

    static void channels(SocketAddress at, SocketChannels todo) throws Exception {
        try (ServerSocketChannel server = at instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
            SocketChannel a = SocketChannel.open(server.bind(at).getLocalAddress());
            SocketChannel b = server.accept()) {
            todo.run(a, b);
        }
    }

    static void channels(SocketChannels todo) throws Exception {
        channels(new InetSocketAddress(LOOPBACK, 0), todo);
    }

    static void sockets(Path dir) throws Exception {
        pair((a, b) -> {
            a.getOutputStream().write(1);
            a.getOutputStream().write(new byte[12]);
            b.getInputStream().read();
            b.getInputStream().read(new byte[12]);
            a.shutdownOutput();
            b.getInputStream().read();
        });
        channels((a, b) -> {
            a.write(bytes(21));
            b.read(bytes(100));
            b.write(new ByteBuffer[] {bytes(10), ByteBuffer.allocateDirect(12)});
            a.read(new ByteBuffer[] {bytes(4), bytes(100)});
            Channels.newOutputStream(a).write(new byte[23]);
            Channels.newInputStream(b).read(new byte[100]);
            a.shutdownOutput();
            b.read(bytes(100));
        });
        channels((a, b) -> {
            a.socket().getOutputStream().write(new byte[31]);
            b.socket().getInputStream().read(new byte[100]);
        });
        Files.deleteIfExists(dir.resolve("socket"));
        channels(UnixDomainSocketAddress.of(dir.resolve("socket")), (a, b) -> {
            a.write(bytes(41));
            b.read(bytes(100));
            b.write(bytes(42));
            a.read(bytes(100));
        });
    }

    /** Names of hosts and files are those that the program gave. */
    static void names(Path dir) throws Exception {
        Path link = dir.resolve("link"), gone = dir.resolve("gone");

        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
            SocketChannel a =
                SocketChannel.open(new InetSocketAddress("localhost", server.socket().getLocalPort()));
            SocketChannel b = server.accept()) {
            a.write(bytes(101));
            b.read(bytes(200));
        }
        try (ServerSocket server = new ServerSocket(0, 5, LOOPBACK);
            Socket a = new Socket("localhost", server.getLocalPort())) {
            a.getOutputStream().write(new byte[102]);
        }
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, dir.toAbsolutePath().resolve("linked"));
        Files.write(link, new byte[103]);
        Files.readAllBytes(link);
        try (FileInputStream in = new FileInputStream(link.toFile())) {
            in.getChannel().read(bytes(9));
        }
        try (RandomAccessFile r = new RandomAccessFile(link.toFile(), "rw")) {
            r.getChannel().write(bytes(10));
            r.getChannel().force(true);
        }
        try (FileOutputStream out = new FileOutputStream(gone.toFile())) {
            Files.delete(gone);
            out.getChannel().write(bytes(11));
        }
    }

    static void datagrams(Path dir) throws Exception {
        try (DatagramSocket a = new DatagramSocket(0, LOOPBACK); DatagramSocket b = new DatagramSocket(0, LOOPBACK)) {
            a.send(new DatagramPacket(new byte[10], 10, LOOPBACK, b.getLocalPort()));
            b.receive(new DatagramPacket(new byte[10], 10));
        }
    }

    static void pipe(Path dir) throws Exception {
        Pipe pipe = Pipe.open();

        pipe.sink().write(bytes(51));
        pipe.source().read(bytes(100));
        pipe.source().configureBlocking(false);
        pipe.source().read(bytes(100));
        pipe.sink().close();
        pipe.source().close();
    }

    static void asynchronousFile(Path dir) throws Exception {
        try (AsynchronousFileChannel c = AsynchronousFileChannel.open(dir.resolve("asynchronous"),
            StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            c.write(bytes(61), 0).get();
            c.read(bytes(100), 0).get();
            c.force(true);
        }
    }

    static void asynchronousSocket(Path dir) throws Exception {
        try (AsynchronousServerSocketChannel server =
                AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
            AsynchronousSocketChannel a = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> accepted = server.accept();
            a.connect(server.getLocalAddress()).get();
            try (AsynchronousSocketChannel b = accepted.get()) {
                Future<Integer> read = b.read(bytes(100));
                a.write(bytes(62)).get();
                read.get();
            }
        }
    }

    static void randomAccess(Path dir) throws Exception {
        try (RandomAccessFile r = new RandomAccessFile(dir.resolve("random").toFile(), "rw")) {
            r.write(1);
            r.write(new byte[10], 2, 3);
            r.writeLong(5);
            r.writeUTF("abc");
            r.writeBytes("def");
            r.seek(0);
            r.read();
            r.read(new byte[4]);
            r.readInt();
            r.readFully(new byte[2]);
            r.seek(r.length());
            r.read();
            r.read(new byte[0]);
            r.getFD().sync();
        }
    }

    static void streams(Path dir) throws Exception {
        Path f = dir.resolve("stream");

        try (FileOutputStream out = new FileOutputStream(f.toFile())) {
            out.write(1);
            out.write(new byte[71]);
            out.write(new byte[0]);
            out.getFD().sync();
        }
        try (FileInputStream in = new FileInputStream(f.toFile())) {
            in.read();
            in.read(new byte[10], 1, 5);
            in.skip(3);
            in.available();
            in.readAllBytes();
            in.read(new byte[0]);
            in.transferTo(new ByteArrayOutputStream());
        }
        try (FileInputStream in = new FileInputStream("/proc/self/mem")) {
            in.read();
        } catch (IOException expected) {
            Files.writeString(f, "failed\n");
        }
    }

    static void files(Path dir) throws Exception {
        Path f = dir.resolve("file");

        Files.write(f, new byte[30000]);
        Files.readString(f);
        try (Stream<String> lines = Files.lines(f)) {
            lines.count();
        }
        Files.copy(f, dir.resolve("copy"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(f, new ByteArrayOutputStream());
        try (SeekableByteChannel c = Files.newByteChannel(f)) {
            while (c.read(bytes(20000)) >= 0)
                ;
        }
    }

    static void channel(Path dir) throws Exception {
        try (FileChannel c = FileChannel.open(dir.resolve("channel"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileChannel to =
                FileChannel.open(dir.resolve("to"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            c.write(bytes(81));
            c.write(ByteBuffer.allocateDirect(82), 5);
            c.write(new ByteBuffer[] {bytes(3), bytes(4)});
            c.position(0);
            c.read(bytes(4));
            c.read(bytes(6), 3);
            c.read(new ByteBuffer[] {bytes(3), bytes(400)});
            c.read(bytes(5), 5000);
            c.force(true);
            c.force(false);
            MappedByteBuffer map = c.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
            map.put(5, (byte) 1);
            map.force();
            c.transferTo(0, 83, to);
            c.transferTo(0, 84, Channels.newChannel(new ByteArrayOutputStream()));
        }
    }

    static void process(Path dir) throws Exception {
        Process p = new ProcessBuilder("cat").start();

        p.getOutputStream().write(new byte[91]);
        p.getOutputStream().close();
        p.getInputStream().readAllBytes();
        p.waitFor();
    }

    static void standard(Path dir) throws Exception {
        System.out.println("out");
        System.in.read();
    }

    static void sleep(Path dir) throws Exception {
        Thread.sleep(5);
        Thread.sleep(7, 500000);
        TimeUnit.MILLISECONDS.sleep(6);
    }

    static void run(String name, Path dir) {
        try {
            shapes.get(name).run(dir);
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    static void all(Path dir, String prefix, Object virtual) throws Exception {
        for (String name : shapes.keySet()) {
            Runnable body = () -> run(name, dir);
            Thread t;
            if (virtual == null) {
                t = new Thread(body, prefix + name);
                t.start();
            } else {
                Class<?> builder = Class.forName("java.lang.Thread$Builder");
                builder.getMethod("name", String.class).invoke(virtual, prefix + name);
                t = (Thread) builder.getMethod("start", Runnable.class).invoke(virtual, body);
            }
            t.join();
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Paths.get(args[0]);
        Object virtual;

        Files.createDirectories(dir);
        shapes.put("sockets", IoShapes::sockets);
        shapes.put("names", IoShapes::names);
        shapes.put("datagrams", IoShapes::datagrams);
        shapes.put("pipe", IoShapes::pipe);
        shapes.put("asynchronous-file", IoShapes::asynchronousFile);
        shapes.put("asynchronous-socket", IoShapes::asynchronousSocket);
        shapes.put("random-access", IoShapes::randomAccess);
        shapes.put("streams", IoShapes::streams);
        shapes.put("files", IoShapes::files);
        shapes.put("channel", IoShapes::channel);
        shapes.put("process", IoShapes::process);
        shapes.put("standard", IoShapes::standard);
        shapes.put("sleep", IoShapes::sleep);
        all(dir, "on ", null);
        shapes.remove("sleep");
        try {
            virtual = Thread.class.getMethod("ofVirtual").invoke(null);
        } catch (NoSuchMethodException old) {
            return;
        }
        all(dir, "on virtual ", virtual);
    }
}
