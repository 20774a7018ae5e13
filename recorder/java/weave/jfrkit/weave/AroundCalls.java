package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;
import jfrkit.weave.asm.Type;

/**
 * Inserts calls around some calls that a method makes: one that sets the context of what is called, and one that sets the
 * context that the thread had before. What the first returns is in a new local variable. No jump leads to the instructions
 * in between, so stack map frames need not have it. An error that leaves the call leaves the context on the thread until
 * its pool's next task.
 */
abstract class AroundCalls extends MethodVisitor {
    private static final int BEFORE = 60; // a variable that no method of the changed classes uses; the next two are as well

    AroundCalls(MethodVisitor out) {
        super(Opcodes.ASM9, out);
    }

    /** Inserts the first call. It takes the key from the stack, the reference by whose identity a context is stored, and
     *  leaves there what {@link Tasks#forkEnded} takes. */
    abstract void enter(int opcode, String owner, String called, boolean isInterface);

    /** Inserts a call whose arguments are references, and the calls around it. The key is its receiver. */
    final void aroundReceiver(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        int n = Type.getArgumentTypes(descriptor).length;

        for (int i = n; i > 0; i--)
            super.visitVarInsn(Opcodes.ASTORE, BEFORE + i);
        super.visitInsn(Opcodes.DUP);
        enter(opcode, owner, called, isInterface);
        super.visitVarInsn(Opcodes.ASTORE, BEFORE);
        for (int i = 1; i <= n; i++)
            super.visitVarInsn(Opcodes.ALOAD, BEFORE + i);
        end(opcode, owner, called, descriptor, isInterface);
    }

    /** The same; the key is its last argument. */
    final void aroundLast(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        super.visitInsn(Opcodes.DUP);
        enter(opcode, owner, called, isInterface);
        super.visitVarInsn(Opcodes.ASTORE, BEFORE);
        end(opcode, owner, called, descriptor, isInterface);
    }

    private void end(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
        super.visitVarInsn(Opcodes.ALOAD, BEFORE);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "forkEnded", Weaver.OF_ONE, false);
    }
}
