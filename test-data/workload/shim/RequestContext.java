package shim;

import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.ContextType;
import jdk.jfr.Description;
import jdk.jfr.Name;

/** A context as a program for a JDK with jdk.jfr.ContextType writes it: fields with names, set while it is open. */
@Name("tracer-context")
@Description("Whose request it is")
public class RequestContext extends ContextType implements AutoCloseable {
    private static final AtomicLong REQUESTS = new AtomicLong();

    @Name("user")
    public String user;

    @Name("action")
    public String action;

    @Name("file")
    @Description("The file that it is about, or nothing")
    public String file;

    @Name("trace")
    public String request = Long.toString(REQUESTS.incrementAndGet());

    public RequestContext(String user, String action, String file) {
        this.user = user;
        this.action = action;
        this.file = file;
        set();
    }

    public RequestContext(String user, String action) {
        this(user, action, "");
    }

    @Override
    public void close() {
        unset();
    }
}
