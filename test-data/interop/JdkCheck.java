import java.nio.file.Path;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads recordings as `jfr print` and `metadata` do, many in one JVM: the types, then every field of every
 * event, and its frames. java JdkCheck FILE...; one line per file, "ok NAME N events, N values" or "not ok NAME: WHY".
 */
public class JdkCheck {
    public static void main(String[] args) {
        boolean failed = false;

        for (String arg : args) {
            Path file = Path.of(arg);
            long events = 0, values = 0;
            try (RecordingFile recording = new RecordingFile(file)) {
                for (var type : recording.readEventTypes())
                    values += type.getFields().size();
                while (recording.hasMoreEvents()) {
                    RecordedEvent event = recording.readEvent();
                    for (var field : event.getFields())
                        values += event.getValue(field.getName()) == null ? 0 : 1;
                    if (event.getStackTrace() != null)
                        for (var frame : event.getStackTrace().getFrames())
                            values += frame.getMethod() == null ? 0 : 1;
                    events++;
                }
                System.out.println("ok " + file.getFileName() + " " + events + " events, " + values + " values");
            } catch (Exception | Error e) {
                System.out.println("not ok " + file.getFileName() + ": event " + events + ": " + e);
                failed = true;
            }
        }
        System.exit(failed ? 1 : 0);
    }
}
