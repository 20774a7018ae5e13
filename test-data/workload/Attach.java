import com.sun.tools.attach.VirtualMachine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Gives orders to the agent in another VM and prints what it answers, one order after the other.
 *
 * java Attach PID AGENT TIMES "command=start,..." "command=stop" ...      JDK 11 or later
 *
 * With TIMES above 1 only the answers of the last round are printed, and those that are errors.
 */
public class Attach {
    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[2]);
        Path reply = Files.createTempFile("jfrkit-", ".reply", PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rw-------")));
        VirtualMachine vm = VirtualMachine.attach(args[0]);
        try {
            for (int i = 1; i <= times; i++)
                for (int k = 3; k < args.length; k++) {
                    Files.write(reply, new byte[0]);
                    vm.loadAgentPath(args[1], args[k] + ",reply=" + reply);
                    String answer = new String(Files.readAllBytes(reply));
                    if (i == times || answer.startsWith("error"))
                        System.out.print(answer);
                }
        } finally {
            vm.detach();
            Files.delete(reply);
        }
    }
}
