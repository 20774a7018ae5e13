package jfrkit.weave;

import jfrkit.weave.asm.ClassWriter;
import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Makes the class of nodes with a context, which a changed LinkedBlockingQueue puts its elements into:
 *
 * <pre>
 * package java.util.concurrent;
 * public class JfrkitNode extends LinkedBlockingQueue.Node implements Supplier {
 *     private final int[] context;
 *     JfrkitNode(Object element) { super(element); context = Tasks.captured(element); }
 *     static LinkedBlockingQueue.Node of(Object element) { return new JfrkitNode(element); }
 *     public Object get() { return context; }
 * }
 * </pre>
 *
 * <p>The module java.base reads no interface of ours, so the class implements one of the JDK's. Where references have 4
 * bytes, a node with a context is not larger than the JDK's. javac cannot compile the class: the one that it extends can
 * only be seen in the JDK's own package.
 */
final class QueueNode {
    static final String QUEUE = "java/util/concurrent/LinkedBlockingQueue";
    static final String PLAIN = QUEUE + "$Node";
    static final String NAME = "java/util/concurrent/JfrkitNode";
    static final String INIT = "(Ljava/lang/Object;)V"; // of both
    static final String OF = "(Ljava/lang/Object;)L" + PLAIN + ";";

    private static final String CONTEXT = "[I";

    /** Has the JVM taken the class? The agent sets it. */
    static volatile boolean isDefined;

    private QueueNode() {
    }

    /** The agent calls it. */
    static byte[] classFile() {
        ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);

        out.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, NAME, null, PLAIN,
            new String[] {"java/util/function/Supplier"});
        out.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL, "context", CONTEXT, null, null).visitEnd();
        constructor(out.visitMethod(0, "<init>", INIT, null, null));
        factory(out.visitMethod(Opcodes.ACC_STATIC, "of", OF, null, null));
        getter(out.visitMethod(Opcodes.ACC_PUBLIC, "get", "()Ljava/lang/Object;", null, null));
        out.visitEnd();
        return out.toByteArray();
    }

    private static void constructor(MethodVisitor out) {
        out.visitCode();
        out.visitVarInsn(Opcodes.ALOAD, 0);
        out.visitVarInsn(Opcodes.ALOAD, 1);
        out.visitMethodInsn(Opcodes.INVOKESPECIAL, PLAIN, "<init>", INIT, false);
        out.visitVarInsn(Opcodes.ALOAD, 0);
        out.visitVarInsn(Opcodes.ALOAD, 1);
        out.visitMethodInsn(Opcodes.INVOKESTATIC, "jfrkit/weave/Tasks", "captured", "(Ljava/lang/Object;)" + CONTEXT, false);
        out.visitFieldInsn(Opcodes.PUTFIELD, NAME, "context", CONTEXT);
        end(out, Opcodes.RETURN);
    }

    private static void factory(MethodVisitor out) {
        out.visitCode();
        out.visitTypeInsn(Opcodes.NEW, NAME);
        out.visitInsn(Opcodes.DUP);
        out.visitVarInsn(Opcodes.ALOAD, 0);
        out.visitMethodInsn(Opcodes.INVOKESPECIAL, NAME, "<init>", INIT, false);
        end(out, Opcodes.ARETURN);
    }

    private static void getter(MethodVisitor out) {
        out.visitCode();
        out.visitVarInsn(Opcodes.ALOAD, 0);
        out.visitFieldInsn(Opcodes.GETFIELD, NAME, "context", CONTEXT);
        end(out, Opcodes.ARETURN);
    }

    private static void end(MethodVisitor out, int instruction) {
        out.visitInsn(instruction);
        out.visitMaxs(0, 0); // computed
        out.visitEnd();
    }
}
