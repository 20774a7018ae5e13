package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of {@link Tasks} around a method that runs a task. What the first call returns, the context that the thread
 * had before, is in a new local variable, so the class must be read with expanded frames.
 *
 * <p>These methods let no exception out, but for errors of the program in some of them. Then the thread has the context of
 * the task until it asks its pool for the next one.
 */
final class Running extends MethodVisitor {
    private static final int BEFORE = 12; // a variable that the method does not use

    private final String hook;

    Running(MethodVisitor out, String hook) {
        super(Opcodes.ASM9, out);
        this.hook = hook;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, hook, Weaver.TO_STATE, false);
        super.visitVarInsn(Opcodes.ASTORE, BEFORE);
    }

    /** Adds the variable. */
    @Override
    public void visitFrame(int type, int n, Object[] locals, int nStack, Object[] stack) {
        Object[] more = new Object[BEFORE + 1];
        int slot = 0;
        int count = 0;

        while (count < n) {
            more[count] = locals[count];
            slot += locals[count] == Opcodes.LONG || locals[count] == Opcodes.DOUBLE ? 2 : 1;
            count++;
        }
        while (slot++ < BEFORE)
            more[count++] = Opcodes.TOP;
        more[count++] = "java/lang/Object";
        super.visitFrame(type, count, more, nStack, stack);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.IRETURN || opcode == Opcodes.RETURN) {
            super.visitVarInsn(Opcodes.ALOAD, BEFORE);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "forkEnded", Weaver.OF_ONE, false);
        }
        super.visitInsn(opcode);
    }
}
