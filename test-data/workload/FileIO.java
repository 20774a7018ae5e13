import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/** Reads and writes in every way that has events, so many times: FileIO DIRECTORY. */
public class FileIO {
    static void whole(File dir) throws Exception {
        for (int i = 0; i < 100; i++) {
            File f = new File(dir, "whole-" + i);
            Files.write(f.toPath(), "0123456789abcdef".getBytes());
            Files.readAllBytes(f.toPath());
        }
    }

    static void streams(File dir) throws Exception {
        byte[] bytes = new byte[600];

        for (int i = 0; i < 50; i++) {
            File f = new File(dir, "stream-" + i);
            try (FileOutputStream out = new FileOutputStream(f)) {
                out.write(new byte[1000]);
                out.write(7);
            }
            try (FileInputStream in = new FileInputStream(f)) {
                while (in.read(bytes) >= 0)
                    ;
            }
            try (RandomAccessFile r = new RandomAccessFile(f, "rw")) {
                r.seek(10);
                r.write(new byte[33]);
                r.seek(0);
                r.read(new byte[44]);
                r.write(1);
                r.read();
                r.getFD().sync();
            }
        }
    }

    static void channel(File dir) throws Exception {
        try (FileChannel c = FileChannel.open(new File(dir, "channel").toPath(),
            StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer b = ByteBuffer.allocateDirect(500);
            c.write(b);
            ((java.nio.Buffer) b).clear(); // JDK 8 has no clear() of ByteBuffer
            c.write(b, 100);
            c.write(new ByteBuffer[] {ByteBuffer.allocate(10), ByteBuffer.allocate(20)});
            c.force(true);
            c.position(0);
            ((java.nio.Buffer) b).clear();
            c.read(b);
            ((java.nio.Buffer) b).clear();
            c.read(b, 5);
            c.read(new ByteBuffer[] {ByteBuffer.allocate(10), ByteBuffer.allocate(20)});
        }
    }

    static void serve(ServerSocket server) {
        byte[] bytes = new byte[100];

        try (Socket s = server.accept()) {
            InputStream in = s.getInputStream();
            for (int n; (n = in.read(bytes)) >= 0;)
                s.getOutputStream().write(bytes, 0, n);
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    /** Sends 30 times 64 bytes to a thread that sends them back. */
    static void sockets() throws Exception {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread t = new Thread(() -> serve(server), "echo");
        byte[] bytes = new byte[64];

        t.start();
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
            OutputStream out = s.getOutputStream();
            InputStream in = s.getInputStream();
            for (int i = 0; i < 30; i++) {
                out.write(bytes);
                for (int n = 0; n < 64;)
                    n += in.read(bytes, n, 64 - n);
            }
        }
        t.join();
        server.close();
    }

    public static void main(String[] args) throws Exception {
        File dir = new File(args[0]);

        dir.mkdirs();
        whole(dir);
        streams(dir);
        channel(dir);
        sockets();
    }
}
