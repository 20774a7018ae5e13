import java.util.Scanner;

/** Allocates before it is recorded: 2 GB, says so, and for each line that it reads another 200 MB. */
public class Past implements Runnable {
    static volatile Object sink;

    static void allocate(int megabytes, int pauseMillis) {
        for (int m = 0; m < megabytes; m++) {
            for (int bytes = 0; bytes < 1_000_000; bytes += 1016) {
                sink = new byte[1000];
            }
            try {
                Thread.sleep(pauseMillis);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public void run() {
        Scanner lines = new Scanner(System.in);

        allocate(2000, 0);
        System.out.println("ready");
        while (lines.hasNextLine()) {
            lines.nextLine();
            allocate(200, 5);
            System.out.println("done");
        }
    }

    public static void main(String[] args) {
        new Thread(new Past(), "past").start();
    }
}
