package jfrkit.weave;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;

/**
 * Inserts calls of {@link Tasks} into publishers of Reactor, RxJava and Mutiny. One thread subscribes, another one emits,
 * which may work for another user. The context of the first is stored, by the identity of the subscriber, where a publisher
 * stores its reference, and set around each signal that the subscriber receives. The changed classes are those in which
 * signals of another thread arrive; operators between them and the end of a chain run within these signals.
 */
final class Emitting extends AroundCalls {
    private static final String SIGNAL = "(Ljava/lang/Object;ZZ)Ljava/lang/Object;";

    private static final Set<String> FIELDS = new HashSet<>(Arrays.asList("actual", "receiver", "downstream", "subscriber", "child", "observer"));
    private static final Set<String> LAST =
        new HashSet<>(Arrays.asList("onSuccess", "onComplete", "onCompletion", "onError", "onFailure", "complete", "error"));

    private final boolean isInner; // a subscription; calls are inserted where its publisher calls it, not in it
    private final boolean isForOne; // at most one value comes

    Emitting(String publisher, MethodVisitor out) {
        super(out);
        isInner = isInner(publisher) || publisher.endsWith("$VoidInner");
        isForOne = isForOne(publisher);
    }

    /** Does a method take a subscriber in its first argument, whose reference no field of the class stores? */
    static boolean takesSubscriber(String publisher, String method) {
        return method.equals("<init>") && isInner(publisher) || method.startsWith("subscribe") && publisher.contains("/Unicast");
    }

    private static boolean isForOne(String publisher) {
        String name = publisher.substring(publisher.lastIndexOf('/') + 1);

        return name.startsWith("Mono") || name.startsWith("SinkOne") || name.startsWith("SinkEmpty") || name.startsWith("Next")
            || name.startsWith("Single") || name.startsWith("Maybe") || name.startsWith("Completable") || name.endsWith("$Borrower");
    }

    /** Is it the class of a subscription whose superclass has the reference of the subscriber? */
    private static boolean isInner(String owner) {
        return owner.endsWith("$CacheMonoSubscriber") || owner.endsWith("$NextInner");
    }

    /** Is it a type of subscriptions that have a method for their subscriber? */
    private static boolean hasActual(String owner) {
        return isInner(owner) || owner.endsWith("/Operators$MonoSubscriber") || owner.endsWith("/SinkEmptyMulticast$Inner");
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
        if (opcode == Opcodes.PUTFIELD && FIELDS.contains(field) && isSubscriber(descriptor.substring(0, descriptor.length() - 1))) {
            super.visitInsn(Opcodes.DUP);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "sent", Weaver.OF_ONE, false);
        }
        super.visitFieldInsn(opcode, owner, field, descriptor);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
        boolean isToSubscriber = opcode == Opcodes.INVOKEINTERFACE && isSubscriber(owner);
        boolean isToInner = opcode != Opcodes.INVOKESPECIAL && hasActual(owner);

        if (!isInner && (isToSubscriber || isToInner) && (called.equals("onNext") || called.equals("onItem") || LAST.contains(called)))
            aroundReceiver(opcode, owner, called, descriptor, isInterface);
        else
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
    }

    @Override
    void enter(int opcode, String owner, String called, boolean isInterface) {
        boolean isLast = LAST.contains(called) || owner.endsWith("/UniSubscriber");

        if (hasActual(owner))
            super.visitMethodInsn(opcode, owner, "actual", "()Lreactor/core/CoreSubscriber;", isInterface);
        super.visitInsn(isLast ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
        super.visitInsn(isForOne ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Weaver.TASKS, "signal", SIGNAL, false);
    }

    private static boolean isSubscriber(String type) {
        return type.endsWith("Subscriber") || type.endsWith("Observer");
    }
}
