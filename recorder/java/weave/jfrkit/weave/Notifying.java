package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of hooks into futures of Vert.x 4 and 5, and into the queue of what gRPC writes to a connection. A listener
 * is added to a future by one thread, and notified by another one, which completes the future and may work for another user.
 * A command is put into the queue by one thread, and run by the task of another one. The context of the first is stored, by
 * the identity of the listener or command, and set while it is notified or runs. Several listeners of a future are in an
 * array, which is a listener itself, without a context.
 */
final class Notifying extends AroundCalls {
    private final String hooks;
    private final String added;
    private final String notified;
    private final boolean adds; // the first argument of the method is what is added

    /** The hooks take a listener or command: when it is added, and when it is notified. */
    Notifying(String hooks, String added, String notified, boolean adds, MethodVisitor out) {
        super(out);
        this.hooks = hooks;
        this.added = added;
        this.notified = notified;
        this.adds = adds;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (adds) {
            super.visitVarInsn(Opcodes.ALOAD, 1);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, hooks, added, Weaver.OF_ONE, false);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        boolean isListener =
            owner.endsWith("/Listener") || owner.equals("io/vertx/core/Completable") || owner.endsWith("/WriteQueue$QueuedCommand");

        if (called.startsWith("emit") && owner.endsWith("/FutureImpl"))
            aroundLast(opcode, owner, called, descriptor, isInterface);
        else if (isListener && descriptor.startsWith("(L") && descriptor.endsWith(")V"))
            aroundReceiver(opcode, owner, called, descriptor, isInterface);
        else
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
    }

    @Override
    void enter(int opcode, String owner, String called, boolean isInterface) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, hooks, notified, Weaver.TO_STATE, false);
    }
}
