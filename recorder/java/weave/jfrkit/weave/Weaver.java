package jfrkit.weave;

import jfrkit.weave.asm.ClassReader;
import jfrkit.weave.asm.ClassVisitor;
import jfrkit.weave.asm.ClassWriter;
import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of {@link Hooks} into classes that keep the context of a thread. The agent calls it for the classes of
 * its table (recorder/sources/weave.c), with their class files as they are loaded or retransformed.
 *
 * Only code without branches is inserted, so that the stack map frames of a method stay valid and no class of the
 * program has to be looked up.
 */
final class Weaver extends ClassVisitor {
    private static final String HOOKS = "jfrkit/weave/Hooks";
    private static final String MDC_PUT = "(Ljava/lang/Object;Ljava/lang/Object;)V";

    private final String name;
    private boolean isChanged;

    private Weaver(String name, ClassVisitor out) {
        super(Opcodes.ASM9, out);
        this.name = name;
    }

    /** The changed class file; null: nothing in it is to be changed. */
    static byte[] weave(String name, byte[] file) {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Weaver weaver = new Weaver(name, writer);

        reader.accept(weaver, 0);
        return weaver.isChanged ? writer.toByteArray() : null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] thrown) {
        MethodVisitor out = super.visitMethod(access, method, descriptor, signature, thrown);
        MethodVisitor woven = out;

        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_BRIDGE)) != 0)
            return out;
        if (name.endsWith("ContextStorage") || name.endsWith("ContextStorage$ScopeImpl"))
            woven = method.equals("attach") || method.equals("close") ? new AfterSet(out) : out;
        else if (name.endsWith("/SdkSpan"))
            woven = ofSpan(method, descriptor, out);
        else if ((access & Opcodes.ACC_STATIC) != 0)
            woven = ofDiagnosticContext(method, descriptor, out);
        isChanged |= woven != out;
        return woven;
    }

    private static MethodVisitor ofSpan(String method, String descriptor, MethodVisitor out) {
        if (method.equals("updateName"))
            return new Before(out, "renamed", "(Ljava/lang/Object;Ljava/lang/String;)V", 2);
        if (method.equals("setAttribute") && descriptor.contains("/AttributeKey;Ljava/lang/Object;)"))
            return new Before(out, "attribute", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)V", 3);
        return out;
    }

    /** Static methods of org.slf4j.MDC, ThreadContext of Log4j and the MDC of JBoss. */
    private static MethodVisitor ofDiagnosticContext(String method, String descriptor, MethodVisitor out) {
        String arguments = descriptor.substring(0, descriptor.indexOf(')') + 1);

        switch (method + arguments) {
        case "put(Ljava/lang/String;Ljava/lang/String;)":
        case "putObject(Ljava/lang/String;Ljava/lang/Object;)":
            return new Before(out, "put", MDC_PUT, 2);
        case "remove(Ljava/lang/String;)":
            return new Before(out, "remove", "(Ljava/lang/Object;)V", 1);
        case "removeAll(Ljava/lang/Iterable;)":
            return new Before(out, "removeAll", "(Ljava/lang/Iterable;)V", 1);
        case "clear()":
        case "clearMap()":
        case "clearAll()":
            return new Before(out, "clear", "()V", 0);
        case "setContextMap(Ljava/util/Map;)":
            return new Before(out, "replace", "(Ljava/util/Map;)V", 1);
        case "putAll(Ljava/util/Map;)":
            return new Before(out, "putAll", "(Ljava/util/Map;)V", 1);
        default:
            return out;
        }
    }

    /** Calls a hook with the first local variables, which are references, when the method begins. */
    private static final class Before extends MethodVisitor {
        private final String hook;
        private final String descriptor;
        private final int n;

        Before(MethodVisitor out, String hook, String descriptor, int n) {
            super(Opcodes.ASM9, out);
            this.hook = hook;
            this.descriptor = descriptor;
            this.n = n;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            for (int i = 0; i < n; i++)
                super.visitVarInsn(Opcodes.ALOAD, i);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, descriptor, false);
        }
    }

    /** After each ThreadLocal.set(): Hooks.current(what was set, this class). */
    private final class AfterSet extends MethodVisitor {
        AfterSet(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            boolean isSet = owner.equals("java/lang/ThreadLocal") && called.equals("set");

            if (isSet)
                super.visitInsn(Opcodes.DUP_X1);
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
            if (isSet) {
                super.visitLdcInsn(jfrkit.weave.asm.Type.getObjectType(name));
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "current", "(Ljava/lang/Object;Ljava/lang/Class;)V", false);
            }
        }
    }
}
