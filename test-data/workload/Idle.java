/** Does nothing for so many seconds. */
public class Idle {
    public static void main(String[] args) throws Exception {
        Thread.sleep(Long.parseLong(args[0]) * 1000);
    }
}
