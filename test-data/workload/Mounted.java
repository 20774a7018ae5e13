/** Virtual threads that wait for input, which keeps their carriers: Mounted THREADS. Needs JDK 21. */
public class Mounted {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            Thread.ofVirtual().start(() -> {
                try {
                    System.in.read();
                } catch (java.io.IOException e) {
                    throw new IllegalStateException(e);
                }
            });
        System.out.println("pid=" + ProcessHandle.current().pid());
        Thread.sleep(60_000);
    }
}
