package jfrkit.weave;

import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of {@link Tasks} into publishers of Reactor that several threads use: one thread subscribes, another one
 * emits, which may work for another user. The subscriber's context is stored, by the identity of the subscriber, where its
 * reference is stored. It is set around each signal that the subscriber receives. The changed classes are those in which
 * signals of another thread arrive; operators between them and the end of a chain run within these signals.
 *
 * <p>What the call before a signal returns is in a new local variable. No jump leads to the instructions in between, so
 * stack map frames need not have it. An error that leaves a signal leaves the subscriber's context on the thread until its
 * pool's next task.
 */
final class Emitting extends MethodVisitor {
    private static final int BEFORE = 60; // a variable that no method of these classes uses
    private static final String SIGNAL = "(Ljava/lang/Object;ZZ)Ljava/lang/Object;";

    private final boolean isInner; // the publisher calls its methods, and only there calls are inserted
    private final boolean isForOne; // at most one value comes
    private final boolean isConstructor;

    Emitting(String publisher, String method, MethodVisitor out) {
        super(Opcodes.ASM9, out);
        isInner = isInner(publisher) || publisher.endsWith("$VoidInner");
        isForOne = publisher.contains("/Mono") || publisher.contains("/SinkOne") || publisher.contains("/SinkEmpty")
            || publisher.contains("/NextProcessor") || publisher.endsWith("$Borrower");
        isConstructor = method.equals("<init>");
    }

    /** Is it the subscription of one subscriber, whose superclass has the reference? */
    private static boolean isInner(String owner) {
        return owner.endsWith("$CacheMonoSubscriber") || owner.endsWith("$NextInner");
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (isConstructor && isInner) {
            super.visitVarInsn(Opcodes.ALOAD, 1);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "sent", Weaver.OF_ONE, false);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
        if (opcode == Opcodes.PUTFIELD && (field.equals("actual") || field.equals("receiver")) && descriptor.endsWith("Subscriber;")) {
            super.visitInsn(Opcodes.DUP);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "sent", Weaver.OF_ONE, false);
        }
        super.visitFieldInsn(opcode, owner, field, descriptor);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        boolean isToSubscriber = opcode == Opcodes.INVOKEINTERFACE && owner.endsWith("Subscriber");
        boolean isToInner = opcode != Opcodes.INVOKESPECIAL
            && (isInner(owner) || owner.endsWith("/Operators$MonoSubscriber") || owner.endsWith("/SinkEmptyMulticast$Inner"));

        if (isInner || !(isToSubscriber || isToInner) || !isSignal(called)) {
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
            return;
        }
        super.visitInsn(descriptor.startsWith("()") ? Opcodes.DUP : Opcodes.DUP2);
        if (!descriptor.startsWith("()"))
            super.visitInsn(Opcodes.POP);
        if (isToInner)
            super.visitMethodInsn(opcode, owner, "actual", "()Lreactor/core/CoreSubscriber;", isInterface);
        super.visitInsn(called.equals("onNext") ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
        super.visitInsn(isForOne ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "signal", SIGNAL, false);
        super.visitVarInsn(Opcodes.ASTORE, BEFORE);
        super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
        super.visitVarInsn(Opcodes.ALOAD, BEFORE);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "forkEnded", Weaver.OF_ONE, false);
    }

    private static boolean isSignal(String called) {
        return called.equals("onNext") || called.equals("onError") || called.equals("onComplete") || called.equals("complete")
            || called.equals("error");
    }
}
