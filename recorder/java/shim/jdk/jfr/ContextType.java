package jdk.jfr;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * A context as a class: its public fields with {@link Name} are the attributes. Programs written
 * for a JDK that has this class run on one that has not, with the recorder in the process, which
 * defines it in the boot loader.
 */
public abstract class ContextType {
    /** A service that names the contexts of a program, so that they are known from the start. */
    public interface Registration {
        Stream<Class<? extends ContextType>> types();
    }

    private static final class Shape {
        final List<Field> fields = new ArrayList<>();
        final int type;

        Shape(Class<?> cls) {
            Name name = cls.getAnnotation(Name.class);
            List<String> attributes = new ArrayList<>();

            for (Field f : cls.getFields()) {
                Name attribute = f.getAnnotation(Name.class);
                if (attribute == null)
                    continue;
                attributes.add(attribute.value());
                fields.add(f);
                try {
                    f.setAccessible(true);
                } catch (RuntimeException closed) {
                    // A public field of a public class is read all the same.
                }
            }
            type = attributes.isEmpty() ? -1
                : define(name == null ? cls.getSimpleName() : name.value(),
                    attributes.toArray(new String[0]));
        }
    }

    private static final ClassValue<Shape> SHAPES = new ClassValue<Shape>() {
        @Override
        protected Shape computeValue(Class<?> cls) {
            return new Shape(cls);
        }
    };

    protected ContextType() {
    }

    /** Makes the values of the fields the thread's context. */
    public final void set() {
        Shape shape = SHAPES.get(getClass());
        String[] values = new String[shape.fields.size()];

        if (shape.type <= 0)
            return;
        for (int i = 0; i < values.length; i++) {
            try {
                Object value = shape.fields.get(i).get(this);
                values[i] = value == null ? null : value.toString();
            } catch (IllegalAccessException closed) {
                // It stays null.
            }
        }
        set(shape.type, values);
    }

    /** Ends it; nothing is set then. */
    public final void unset() {
        Shape shape = SHAPES.get(getClass());

        if (shape.type > 0)
            clear(shape.type);
    }

    /** Had the recorder room for this type? */
    public final boolean isActive() {
        return SHAPES.get(getClass()).type > 0;
    }

    /** Called by the recorder: asks the program's services. */
    private static void registerAll() {
        ContextType.class.getModule().addUses(Registration.class);
        for (Registration r : ServiceLoader.load(Registration.class,
            ClassLoader.getSystemClassLoader()))
            r.types().forEach(SHAPES::get);
    }

    private static native int define(String name, String[] attributes);

    private static native void set(int type, String[] values);

    private static native void clear(int type);
}
