import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * java FetchAsm.java FOLDER: the sources of ASM from Maven Central, in a package of our own, to FOLDER/jfrkit/weave/asm.
 * A program may have its own copy of ASM, which must not meet ours. Exit code 1 and a line: it cannot be had.
 */
class FetchAsm {
    private static final String VERSION = "9.9.1";
    private static final String SHA256 = "057e39aa1800b25bc8944846a376509990f49b7fe1e07192b1d6e48e1a780eb2";
    private static final String FROM =
        "https://repo.maven.apache.org/maven2/org/ow2/asm/asm/" + VERSION + "/asm-" + VERSION + "-sources.jar";
    private static final int PATIENCE_MS = 20000;

    public static void main(String[] args) {
        try {
            unpack(fetch(), Path.of(args[0]));
        } catch (IOException | GeneralSecurityException e) {
            System.out.println("ASM " + VERSION + " cannot be had from Maven Central: " + e);
            System.exit(1);
        }
    }

    private static byte[] fetch() throws IOException, GeneralSecurityException {
        URL url = URI.create(FROM).toURL();
        URLConnection connection = url.openConnection(proxy());
        byte[] jar;

        connection.setConnectTimeout(PATIENCE_MS);
        connection.setReadTimeout(PATIENCE_MS);
        try (InputStream in = connection.getInputStream()) {
            jar = in.readAllBytes();
        }
        StringBuilder sum = new StringBuilder();
        for (byte b : MessageDigest.getInstance("SHA-256").digest(jar))
            sum.append(String.format("%02x", b));
        if (!sum.toString().equals(SHA256))
            throw new IOException(FROM + ": wrong checksum");
        return jar;
    }

    /** As other programs take it from the environment. */
    private static Proxy proxy() {
        String text = System.getenv("https_proxy");

        if (text == null || text.isEmpty())
            return Proxy.NO_PROXY;
        URI uri = URI.create(text.contains("://") ? text : "http://" + text);
        return new Proxy(Proxy.Type.HTTP, new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort()));
    }

    private static void unpack(byte[] jar, Path folder) throws IOException {
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(jar))) {
            for (ZipEntry entry; (entry = in.getNextEntry()) != null;) {
                if (!entry.getName().endsWith(".java"))
                    continue;
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                Path to = folder.resolve(entry.getName().replace("org/objectweb/asm", "jfrkit/weave/asm"));

                Files.createDirectories(to.getParent());
                Files.writeString(to, text.replace("org.objectweb.asm", "jfrkit.weave.asm")
                    .replace("org/objectweb/asm", "jfrkit/weave/asm")
                    .replace("@Deprecated(forRemoval = false)", "@Deprecated")); // as Java 8 has it
            }
        }
    }
}
