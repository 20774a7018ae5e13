package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/** Inserts a call of a hook that takes some local variables of the method, which are references. */
abstract class Calling extends MethodVisitor {
    private final String owner;
    private final String hook;
    private final String descriptor;
    private final int[] variables;

    Calling(MethodVisitor out, String owner, String hook, String descriptor, int... variables) {
        super(Opcodes.ASM9, out);
        this.owner = owner;
        this.hook = hook;
        this.descriptor = descriptor;
        this.variables = variables;
    }

    final void call() {
        for (int variable : variables)
            super.visitVarInsn(Opcodes.ALOAD, variable);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, owner, hook, descriptor, false);
    }

    /** When the method begins. */
    static final class Before extends Calling {
        Before(MethodVisitor out, String owner, String hook, String descriptor, int... variables) {
            super(out, owner, hook, descriptor, variables);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            call();
        }
    }

    /** When the method returns. */
    static final class AtReturn extends Calling {
        AtReturn(MethodVisitor out, String owner, String hook, String descriptor, int... variables) {
            super(out, owner, hook, descriptor, variables);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.ARETURN || opcode == Opcodes.RETURN)
                call();
            super.visitInsn(opcode);
        }
    }
}
