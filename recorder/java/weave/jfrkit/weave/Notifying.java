package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of a hook into futures of Vert.x 4 and 5 and of Netty, and into the queue of what gRPC writes to a connection.
 * A listener is added to a future by one thread, and notified by another one, which completes the future and may work for
 * another user. A command is put into the queue by one thread, and run by the task of another one. The context of the first
 * is stored and set while the listener is notified or the command runs: by the identity of the listener or command, or of
 * Netty's future, since one listener of Netty may wait for many futures. Several listeners of a future of Vert.x are in an
 * array, which is a listener itself, without a context.
 */
final class Notifying extends AroundCalls {
    private final String hooks;
    private final String hook;

    /** The hook takes the listener, command or future when the listener is notified or the command runs. */
    Notifying(String hooks, String hook, MethodVisitor out) {
        super(out);
        this.hooks = hooks;
        this.hook = hook;
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        boolean isListener =
            owner.endsWith("/Listener") || owner.equals("io/vertx/core/Completable") || owner.endsWith("/WriteQueue$QueuedCommand");

        if (called.startsWith("emit") && owner.endsWith("/FutureImpl") || called.equals("operationComplete"))
            aroundLast(opcode, owner, called, descriptor, isInterface);
        else if (isListener && descriptor.startsWith("(L") && descriptor.endsWith(")V"))
            aroundReceiver(opcode, owner, called, descriptor, isInterface);
        else
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
    }

    @Override
    void enter(int opcode, String owner, String called, boolean isInterface) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, hooks, hook, Weaver.TO_STATE, false);
    }
}
