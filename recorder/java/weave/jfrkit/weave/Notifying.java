package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of {@link VertxMdc} into futures of Vert.x 4 and 5. A listener is added to a future by one thread, and
 * notified by another one, which completes the future and may work for another user. The context of the first is stored, by
 * the identity of the listener, and set while a future notifies it, or hands it to the event loop that does. Several
 * listeners of a future are in an array, which is a listener itself, without a context.
 */
final class Notifying extends AroundCalls {
    private final boolean adds; // the first argument of the method is a listener that it adds

    Notifying(String method, MethodVisitor out) {
        super(out);
        adds = method.equals("addListener");
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (adds) {
            super.visitVarInsn(Opcodes.ALOAD, 1);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.VERTX_MDC, "added", Weaver.OF_ONE, false);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        boolean isListener = owner.endsWith("/Listener") || owner.equals("io/vertx/core/Completable");

        if (called.startsWith("emit") && owner.endsWith("/FutureImpl"))
            aroundLast(opcode, owner, called, descriptor, isInterface);
        else if (isListener && descriptor.endsWith(")V"))
            aroundReceiver(opcode, owner, called, descriptor, isInterface);
        else
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
    }

    @Override
    void enter(int opcode, String owner, String called, boolean isInterface) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.VERTX_MDC, "notified", Weaver.TO_STATE, false);
    }
}
