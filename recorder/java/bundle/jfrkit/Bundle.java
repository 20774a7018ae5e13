package jfrkit;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * The program and the agent inside the jar, as files. The folder is {@code jfrkit-USER-HASH} of the folder for temporary
 * files, or of the one that the property {@code jfrkit.dir} names. Only its owner may enter it; a file that is there is
 * used only if its bytes are those of the jar, so no other user can put something in its place.
 */
final class Bundle {
    private static final String INDEX = "index"; // lines "SHA-256 NAME", made with the jar
    private static final String MUSL_AGENT = "libjfrkit-musl.so";

    private Bundle() {
    }

    /** The program, ready to be run. */
    static Path program() throws IOException {
        String from = "/META-INF/jfrkit/" + platform() + "/";
        byte[] index = read(from + INDEX);

        if (index == null)
            throw new IOException("this jar has no program for " + platform());
        Path folder = folder(hash(index).substring(0, 16));
        for (String line : new String(index, StandardCharsets.UTF_8).split("\n")) {
            String[] words = line.split(" +", 2);
            Path file = folder.resolve(words[1]);
            if (!isThere(file, words[0]))
                unpack(from + words[1], file, words[0]);
        }
        return folder.resolve("jfrkit");
    }

    /** The agent for this JVM: of its C library. */
    static Path agent() throws IOException {
        return program().resolveSibling(isMusl() ? MUSL_AGENT : "libjfrkit.so");
    }

    /** Is musl the C library of this JVM, as on Alpine? */
    private static boolean isMusl() throws IOException {
        try (BufferedReader maps = Files.newBufferedReader(Paths.get("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
            for (String line; (line = maps.readLine()) != null;)
                if (line.contains("/ld-musl-"))
                    return true;
            return false;
        }
    }

    /** A process of the program, not begun. */
    static ProcessBuilder process(List<String> words) throws IOException {
        List<String> command = new ArrayList<>(words);
        Path program = program();

        command.add(0, program.toString());
        ProcessBuilder process = new ProcessBuilder(command);
        if (isMusl()) // else the program takes libjfrkit.so, which lies beside it
            process.environment().putIfAbsent("JFRKIT_AGENT", program.resolveSibling(MUSL_AGENT).toString());
        return process;
    }

    private static String platform() throws IOException {
        String system = System.getProperty("os.name"), machine = System.getProperty("os.arch");

        if (!system.equals("Linux"))
            throw new IOException("jfrkit runs on Linux, not on " + system);
        return machine.equals("amd64") || machine.equals("x86_64") ? "linux-x64" : "linux-" + machine;
    }

    private static Path folder(String name) throws IOException {
        Path parent = Paths.get(System.getProperty("jfrkit.dir", System.getProperty("java.io.tmpdir")));
        Path folder = parent.resolve("jfrkit-" + System.getProperty("user.name").replaceAll("[^A-Za-z0-9_.-]", "_") + "-" + name);
        FileAttribute<?> mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

        try {
            return Files.createDirectory(folder, mine);
        } catch (FileAlreadyExistsException there) {
            // Another user may have made it, or a link, to have us run other files.
            return isMine(folder) ? folder : Files.createTempDirectory(parent, "jfrkit-", mine);
        }
    }

    private static boolean isMine(Path folder) throws IOException {
        PosixFileAttributes is = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);

        return is.isDirectory() && owner.equals(Files.getAttribute(Paths.get("/proc/self"), "unix:uid"))
            && !is.permissions().contains(PosixFilePermission.GROUP_WRITE)
            && !is.permissions().contains(PosixFilePermission.OTHERS_WRITE);
    }

    private static boolean isThere(Path file, String hash) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.isExecutable(file)
            && hash(Files.readAllBytes(file)).equals(hash);
    }

    /** Several processes may do so at once: each writes a file of its own, which then takes the name. */
    private static void unpack(String from, Path file, String hash) throws IOException {
        byte[] bytes = read(from);

        if (bytes == null || !hash(bytes).equals(hash))
            throw new IOException("the jar is damaged: " + from);
        Path whole = Files.createTempFile(file.getParent(), "new", null);
        Files.write(whole, bytes);
        Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rwx------"));
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = Bundle.class.getResourceAsStream(name)) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            byte[] block = new byte[65536];

            for (int n; in != null && (n = in.read(block)) > 0;)
                all.write(block, 0, n);
            return in == null ? null : all.toByteArray();
        }
    }

    private static String hash(byte[] bytes) throws IOException {
        try {
            StringBuilder text = new StringBuilder();

            for (byte b : MessageDigest.getInstance("SHA-256").digest(bytes))
                text.append(String.format("%02x", b));
            return text.toString();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Runs the program and returns the lines of its standard output. What it says is the message if it fails. */
    static List<String> run(List<String> words) throws IOException {
        List<String> out = new ArrayList<>();
        Path said = Files.createTempFile("jfrkit", null);
        try {
            Process p = process(words).redirectError(said.toFile()).start();
            p.getOutputStream().close();
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(p.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line; (line = lines.readLine()) != null;)
                    out.add(line);
            }
            if (p.waitFor() != 0)
                throw new IOException(new String(Files.readAllBytes(said), StandardCharsets.UTF_8).trim());
            return out;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            Files.delete(said);
        }
    }
}
