package jfrkit.weave;

import jfrkit.weave.asm.ClassReader;
import jfrkit.weave.asm.ClassVisitor;
import jfrkit.weave.asm.ClassWriter;
import jfrkit.weave.asm.FieldVisitor;
import jfrkit.weave.asm.MethodVisitor;
import jfrkit.weave.asm.Opcodes;
import jfrkit.weave.asm.Type;

/**
 * Inserts calls of {@link Hooks} into classes that keep the context of a thread, of {@link Tasks} into executors, which
 * hand tasks from thread to thread, and of {@link Dependents} into futures. The agent calls it for the classes of its table
 * (recorder/sources/targets.c), with their class files as they are loaded or retransformed.
 *
 * Only code without branches is inserted, so that the stack map frames of a method stay valid and no class of the
 * program has to be looked up.
 */
final class Weaver extends ClassVisitor {
    private static final String HOOKS = "jfrkit/weave/Hooks";
    static final String TASKS = "jfrkit/weave/Tasks";
    private static final String FORK = "java/util/concurrent/ForkJoinTask";
    private static final String POOL = "java/util/concurrent/ThreadPoolExecutor";
    private static final String FUTURE = "java/util/concurrent/CompletableFuture$";
    private static final String NEW_VIRTUAL_THREAD =
        "newVirtualThread(Ljava/util/concurrent/Executor;Ljava/lang/String;ILjava/lang/Runnable;)Ljava/lang/Thread;";
    private static final String SCHEDULE = "scheduleDelayedTask(Ljava/util/concurrent/DelayScheduler$ScheduledForkJoinTask;)"
        + "Ljava/util/concurrent/DelayScheduler$ScheduledForkJoinTask;";
    private static final String VERTX_MDC = "jfrkit/weave/VertxMdc";
    private static final String EVENT = "_event";
    private static final int NODES = 4; // of a queue as it should be
    private static final String RUNNABLE = "Ljava/lang/Runnable;";
    static final String OF_ONE = "(Ljava/lang/Object;)V";
    static final String TO_STATE = "(Ljava/lang/Object;)Ljava/lang/Object;"; // of what forkEnded() takes
    private static final String OF_TWO = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    private static final String OF_THREE = "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)V";

    private final String name;
    private String eventType; // of Jetty's state of a request: the descriptor of its event; null: there is none
    private boolean isOfJava8;
    private boolean isChanged;
    private int nNodes; // that a queue makes or takes

    private Weaver(String name, ClassVisitor out) {
        super(Opcodes.ASM9, out);
        this.name = name;
    }

    /** The changed class file; null: nothing in it is to be changed. */
    static byte[] weave(String name, byte[] file) {
        ClassReader reader = new ClassReader(file);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Weaver weaver = new Weaver(name, writer);

        reader.accept(weaver, name.equals(FORK) || isRunLater(name) || isOfFunction(name) ? ClassReader.EXPAND_FRAMES : 0);
        if (name.equals(QueueNode.QUEUE))
            weaver.isChanged = Tasks.queueKeeps = QueueNode.isDefined && weaver.nNodes == NODES;
        return weaver.isChanged ? writer.toByteArray() : null;
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        isOfJava8 = version == Opcodes.V1_8;
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public FieldVisitor visitField(int access, String field, String descriptor, String signature, Object value) {
        if (field.equals(EVENT))
            eventType = descriptor;
        return super.visitField(access, field, descriptor, signature, value);
    }

    @Override
    public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] thrown) {
        MethodVisitor out = super.visitMethod(access, method, descriptor, signature, thrown);
        MethodVisitor woven = out;

        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_BRIDGE)) != 0)
            return out;
        if (name.equals(QueueNode.QUEUE))
            woven = ofQueue(method, out);
        else if (name.startsWith("java/util/concurrent/ForkJoin"))
            woven = ofForkJoin(method, descriptor, out);
        else if (name.startsWith(FUTURE) && !name.endsWith("Executor"))
            woven = method.equals("<init>") ? ofDependent(descriptor, out) : out;
        else if (name.startsWith("java/util/concurrent/"))
            woven = ofPool(method, descriptor, out);
        else if (name.startsWith("java/util/Timer"))
            woven = ofTimer(method, descriptor, out);
        else if (name.endsWith("/SingleThreadEventExecutor") || name.endsWith("/EnhancedQueueExecutor")
            || name.endsWith("/AsyncContextState"))
            woven = isTaken(method, descriptor) ? new Carrying(out, 1, "carried") : out;
        else if (name.endsWith("/TaskQueue") || name.endsWith("/SequentialExecutor"))
            woven = isTaken(method, descriptor) ? new Carrying(out, 1, "carriedInTurn") : out;
        else if (name.endsWith("/AbstractFuture"))
            woven = method.equals("addListener") ? new Carrying(out, 1, "carriedInTurn") : out;
        else if (isOfFunction(name))
            woven = ofFunction(method, descriptor, out);
        else if (name.endsWith("/VertxCoroutineExecutor"))
            woven = isTaken(method, descriptor) ? new Carrying(out, 1, "clearedIfOwn") : out;
        else if (name.endsWith("/Mailbox") || name.endsWith("/ActorCell"))
            woven = ofActor(method, descriptor, out);
        else if (name.endsWith("/VertxImpl"))
            woven = method.equals("beginDispatch") || method.equals("endDispatch") ? new Calling.AtReturn(out, VERTX_MDC, "switched", "()V") : out;
        else if (name.endsWith("/VertxMDC"))
            woven = method.startsWith("put") ? new Calling.Before(out, VERTX_MDC, "used", OF_ONE, 0) : out;
        else if (name.endsWith("/SimpleAsyncTaskExecutor"))
            woven = method.equals("doExecute") ? new Carrying(out, 1, "carried") : out;
        else if (name.endsWith("/AsyncContextImpl"))
            woven = method.equals("dispatch") ? new Storing(out, "dispatch") // of Tomcat
                : isTaken(method, descriptor) ? new Carrying(out, 1, "carried")
                : out;
        else if (name.endsWith("ChannelState"))
            woven = eventType == null ? out : ofJetty(method, out);
        else if (name.startsWith("reactor/") || name.startsWith("io/reactivex/") || name.startsWith("io/smallrye/"))
            woven = ofPublisher(method, out);
        else if (name.startsWith("io/vertx/core/impl/future/"))
            woven = ofVertxFuture(method, out);
        else if (name.endsWith("/DefaultPromise") || name.endsWith("/CompleteFuture"))
            woven = ofPromise(method, out);
        else if (name.endsWith("/WriteQueue"))
            woven = ofWriteQueue(method, descriptor, out);
        else if (name.equals("io/grpc/SynchronizationContext"))
            woven = method.equals("executeLater") ? new Carrying(out, 1, "carriedInTurn") : out;
        else if (isRunLater(name))
            woven = ofRunLater(method, out);
        else if (name.equals("java/lang/Thread"))
            woven = ofThread(method, descriptor, out);
        else if (name.equals("java/lang/ThreadBuilders"))
            woven = (method + descriptor).equals(NEW_VIRTUAL_THREAD) ? new Carrying(out, 3, "carried") : out;
        else if (name.endsWith("ContextStorage") || name.endsWith("ContextStorage$ScopeImpl"))
            woven = method.equals("attach") || method.equals("close") ? new AfterSet(out) : out;
        else if (name.endsWith("/SdkSpan"))
            woven = ofSpan(method, descriptor, out);
        else if ((access & Opcodes.ACC_STATIC) != 0)
            woven = ofDiagnosticContext(method, descriptor, out);
        isChanged |= woven != out;
        return woven;
    }

    /**
     * Methods of executors: where a task is submitted, where a thread gets one, and where it waits for the next. A
     * thread that waits in the unchanged getTask() gets one task without its context, unless its queue keeps contexts; it
     * calls the changed method next.
     */
    private MethodVisitor ofPool(String method, String descriptor, MethodVisitor out) {
        switch (method + descriptor) {
        case "execute(Ljava/lang/Runnable;)V":
            return name.endsWith("$ThreadPerTaskExecutor") ? new Carrying(out, 1, "carried")
                : name.endsWith("/ThreadPerTaskExecutor") ? new Carrying(out, 1, "clearedIfOwn")
                : submitting(out);
        case "newThread(Ljava/lang/Runnable;)Ljava/lang/Thread;": // for each task
            return new Carrying(out, 1, "carried");
        case "delayedExecute(Ljava/util/concurrent/RunnableScheduledFuture;)V":
            return submitting(out);
        case "getTask()Ljava/lang/Runnable;":
            return new GettingTask(out);
        case "runWorker(Ljava/util/concurrent/ThreadPoolExecutor$Worker;)V":
            return new RunningWorker(out);
        case "<init>(Ljava/util/concurrent/ThreadPoolExecutor;Ljava/lang/Runnable;)V": // of a worker
            return new Calling.AtReturn(out, TASKS, "firstSubmitted", OF_THREE, 1, 0, 2);
        default:
            return out;
        }
    }

    /** The constructor of what a future does once it has its value. The last argument is the program's function. */
    private static MethodVisitor ofDependent(String descriptor, MethodVisitor out) {
        Type[] arguments = Type.getArgumentTypes(descriptor); // references, all of them
        String last = arguments.length == 0 ? "" : arguments[arguments.length - 1].getDescriptor();

        return last.startsWith("Ljava/util/function/") || last.equals(RUNNABLE)
            ? new Carrying(out, arguments.length, "jfrkit/weave/Dependents", "carried", last, false)
            : out;
    }

    /** Is it a class of tasks that hold a function of the program and that another thread may submit? A future of Scala
     *  submits its functions when it gets its value; OkHttp submits a call when another call has ended. */
    private static boolean isOfFunction(String name) {
        return name.startsWith("scala/concurrent/impl/") || name.endsWith("/RealCall$AsyncCall");
    }

    private static MethodVisitor ofFunction(String method, String descriptor, MethodVisitor out) {
        if (method.equals("<init>") && !descriptor.contains("/Try;")) // Scala's other one is called by this one
            return new Calling.AtReturn(out, TASKS, "given", OF_TWO, 0, 2);
        return method.equals("run") || method.equals("execute") ? new Running(out, "callbackBegins") : out;
    }

    private MethodVisitor ofPublisher(String method, MethodVisitor out) {
        Emitting emitting = new Emitting(name, out);

        return Emitting.takesSubscriber(name, method) ? new Calling.Before(emitting, TASKS, "sent", OF_ONE, 1) : emitting;
    }

    private static MethodVisitor ofVertxFuture(String method, MethodVisitor out) {
        Notifying notifying = new Notifying(VERTX_MDC, "notified", out);

        return method.equals("addListener") ? new Calling.Before(notifying, VERTX_MDC, "added", OF_ONE, 1) : notifying;
    }

    /** A future of Netty. One method adds listeners, of DefaultPromise one that all others call; another one notifies them. */
    private MethodVisitor ofPromise(String method, MethodVisitor out) {
        String adding = name.endsWith("/DefaultPromise") ? "addListener0" : "addListener";

        return method.equals(adding) ? new Calling.Before(out, TASKS, "listened", OF_ONE, 0)
            : method.equals("notifyListener0") ? new Notifying(TASKS, "callbackBegins", out)
            : out;
    }

    /** The queue in which gRPC collects what calls write to a connection. A task of an event loop takes them out. */
    private static MethodVisitor ofWriteQueue(String method, String descriptor, MethodVisitor out) {
        return method.equals("enqueue") && descriptor.contains("/WriteQueue$QueuedCommand;") ? new Calling.Before(out, TASKS, "sent", OF_ONE, 1)
            : method.equals("flush") ? new Notifying(TASKS, "callbackBegins", out)
            : out;
    }

    /** Is it a task that may run several times, with the context of the thread that made it? gRPC makes one for each call,
     *  which runs the callbacks; a thread that receives a message submits it. Event loops and timers of Netty have one for
     *  what they run later. */
    private static boolean isRunLater(String name) {
        return name.endsWith("/SerializingExecutor") || name.equals("io/netty/util/concurrent/ScheduledFutureTask")
            || name.endsWith("/HashedWheelTimer$HashedWheelTimeout");
    }

    private static MethodVisitor ofRunLater(String method, MethodVisitor out) {
        switch (method) {
        case "<init>":
            return new Calling.AtReturn(out, TASKS, "sent", OF_ONE, 0);
        case "run":
        case "expire": // of a timer; later it calls the other one
            return new Running(out, "turnBegins");
        default:
            return out;
        }
    }

    /** Methods that put an element into a LinkedBlockingQueue, and the one that all ways to take one out call. */
    private MethodVisitor ofQueue(String method, MethodVisitor out) {
        switch (method) {
        case "put":
        case "offer":
            return new MakingNode(out);
        case "dequeue":
            return new TakingNode(out);
        default:
            return out;
        }
    }

    private static MethodVisitor submitting(MethodVisitor out) {
        return new Calling.Before(out, TASKS, "submitted", OF_TWO, 0, 1);
    }

    /** Where a task is submitted, and where the timer's thread runs it. Threads that run already are not changed. */
    private static MethodVisitor ofTimer(String method, String descriptor, MethodVisitor out) {
        return (method + descriptor).equals("sched(Ljava/util/TimerTask;JJ)V") ? submitting(out)
            : method.equals("mainLoop") ? new RunningTimer(out)
            : out;
    }

    /** A thread is started, by the program or within a ThreadContainer, and begins. */
    private static MethodVisitor ofThread(String method, String descriptor, MethodVisitor out) {
        switch (method + descriptor) {
        case "start()V":
        case "start(Ljdk/internal/vm/ThreadContainer;)V":
            return new Calling.Before(out, TASKS, "started", OF_ONE, 0);
        case "run()V":
            return new Calling.Before(out, TASKS, "runs", OF_ONE, 0);
        default:
            return out;
        }
    }

    /**
     * Actors of Pekko and Akka. A pool thread that runs a mailbox has the context in which its first message was sent,
     * so that context is cleared, and each message sets the context of its own sender.
     */
    private static MethodVisitor ofActor(String method, String descriptor, MethodVisitor out) {
        switch (method) {
        case "enqueue":
            return new Calling.Before(out, TASKS, "sent", OF_ONE, 2);
        case "run":
            return descriptor.equals("()V") ? new Calling.Before(out, TASKS, "ended", "()V") : out;
        case "invoke":
            return new Calling.Before(out, TASKS, "begins", OF_ONE, 1);
        default:
            return out;
        }
    }

    /**
     * The state of a request in Jetty. The request that waits for its answer has an event, which no other one has. After
     * dispatch() the second half of the request is run by another thread, or by the one that just ran the first half:
     * nextAction() returns what a thread does next. A thread calls handling() before that, and unhandle() after it.
     */
    private MethodVisitor ofJetty(String method, MethodVisitor out) {
        switch (method) {
        case "dispatch":
            return new WithEvent(out, Opcodes.PUTFIELD, "_requestState", "sent");
        case "nextAction":
            return new WithEvent(out, Opcodes.GETSTATIC, "ASYNC_DISPATCH", "resumes");
        case "handling":
        case "unhandle":
            return new Calling.Before(out, TASKS, "pauses", "()V");
        default:
            return out;
        }
    }

    /** The method by which an executor, or the AsyncContext of a servlet container, accepts a task. Some executors have one
     *  for each kind of task. */
    private static boolean isTaken(String method, String descriptor) {
        return descriptor.startsWith("(Ljava/lang/Runnable;")
            && (method.equals("execute") || method.equals("addTask") || method.equals("start") || method.equals("addAsyncTask"));
    }

    /** Whatever the JDK's version calls for all ways to submit or fork a task, and the one in which all are run. */
    private MethodVisitor ofForkJoin(String method, String descriptor, MethodVisitor out) {
        if (name.equals(FORK))
            return method.equals("fork") ? new Calling.Before(out, TASKS, "forked", OF_ONE, 0)
                : method.equals("doExec") ? new Running(out, "forkBegins")
                : out;
        switch (method + descriptor) {
        case "execute(Ljava/lang/Runnable;)V":
            return new Carrying(out, 1, TASKS, "executed", RUNNABLE, true);
        case "externalPush(Ljava/util/concurrent/ForkJoinTask;)V": // JDK 8; later the next one and fork() call it
            return isOfJava8 ? new Calling.Before(out, TASKS, "forked", OF_TWO, 0, 1) : out;
        case "externalSubmit(Ljava/util/concurrent/ForkJoinTask;)Ljava/util/concurrent/ForkJoinTask;": // JDK 9 to 20
        case SCHEDULE:
            return new Calling.Before(out, TASKS, "forked", OF_TWO, 0, 1);
        case "poolSubmit(ZLjava/util/concurrent/ForkJoinTask;)Ljava/util/concurrent/ForkJoinTask;": // JDK 21 and later
            return new Calling.Before(out, TASKS, "forked", OF_TWO, 0, 2);
        default:
            return out;
        }
    }

    private static MethodVisitor ofSpan(String method, String descriptor, MethodVisitor out) {
        if (method.equals("updateName"))
            return new Calling.Before(out, HOOKS, "renamed", "(Ljava/lang/Object;Ljava/lang/String;)V", 0, 1);
        if (method.equals("setAttribute") && descriptor.contains("/AttributeKey;Ljava/lang/Object;)"))
            return new Calling.Before(out, HOOKS, "attribute", OF_THREE, 0, 1, 2);
        return out;
    }

    /** Static methods of org.slf4j.MDC, ThreadContext of Log4j and the MDC of JBoss. */
    private static MethodVisitor ofDiagnosticContext(String method, String descriptor, MethodVisitor out) {
        String arguments = descriptor.substring(0, descriptor.indexOf(')') + 1);

        switch (method + arguments) {
        case "put(Ljava/lang/String;Ljava/lang/String;)":
        case "putObject(Ljava/lang/String;Ljava/lang/Object;)":
            return new Calling.Before(out, HOOKS, "put", OF_TWO, 0, 1);
        case "remove(Ljava/lang/String;)":
            return new Calling.Before(out, HOOKS, "remove", OF_ONE, 0);
        case "removeAll(Ljava/lang/Iterable;)":
            return new Calling.Before(out, HOOKS, "removeAll", "(Ljava/lang/Iterable;)V", 0);
        case "clear()":
        case "clearMap()":
        case "clearAll()":
            return new Calling.Before(out, HOOKS, "clear", "()V");
        case "setContextMap(Ljava/util/Map;)":
            return new Calling.Before(out, HOOKS, "replace", "(Ljava/util/Map;)V", 0);
        case "putAll(Ljava/util/Map;)":
            return new Calling.Before(out, HOOKS, "putAll", "(Ljava/util/Map;)V", 0);
        default:
            return out;
        }
    }

    /** Replaces a task, or a function of a future, in a local variable by one that carries its context. */
    private static final class Carrying extends MethodVisitor {
        private final int task;
        private final String owner;
        private final String hook;
        private final String type;
        private final boolean takesPool; // the hook takes the pool, too

        Carrying(MethodVisitor out, int task, String hook) {
            this(out, task, TASKS, hook, RUNNABLE, false);
        }

        Carrying(MethodVisitor out, int task, String owner, String hook, String type, boolean takesPool) {
            super(Opcodes.ASM9, out);
            this.task = task;
            this.owner = owner;
            this.hook = hook;
            this.type = type;
            this.takesPool = takesPool;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (takesPool)
                super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitVarInsn(Opcodes.ALOAD, task);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, owner, hook, (takesPool ? "(Ljava/lang/Object;" : "(") + type + ")" + type, false);
            super.visitVarInsn(Opcodes.ASTORE, task);
        }
    }

    /** Replaces a task that the method stores in a field. */
    private static final class Storing extends MethodVisitor {
        private final String field;

        Storing(MethodVisitor out, String field) {
            super(Opcodes.ASM9, out);
            this.field = field;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String stored, String descriptor) {
            if (opcode == Opcodes.PUTFIELD && stored.equals(field) && descriptor.equals(RUNNABLE))
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "carried", "(" + RUNNABLE + ")" + RUNNABLE, false);
            super.visitFieldInsn(opcode, owner, stored, descriptor);
        }
    }

    /** Where the method writes or reads a field: calls a hook with the event of the request. */
    private final class WithEvent extends MethodVisitor {
        private final int access;
        private final String field;
        private final String hook;

        WithEvent(MethodVisitor out, int access, String field, String hook) {
            super(Opcodes.ASM9, out);
            this.access = access;
            this.field = field;
            this.hook = hook;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String accessed, String descriptor) {
            if (opcode == access && accessed.equals(field)) {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, name, EVENT, eventType);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, hook, OF_ONE, false);
            }
            super.visitFieldInsn(opcode, owner, accessed, descriptor);
        }
    }

    /** A thread has no task when it calls the method, and the one that is returned afterwards. */
    private static final class GettingTask extends MethodVisitor {
        GettingTask(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "waits", "()V", false);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.ARETURN) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "got", OF_ONE, false);
            }
            super.visitInsn(opcode);
        }
    }

    /** Where a queue makes a node. No jump leads to the instructions in between. */
    private final class MakingNode extends MethodVisitor {
        private boolean isNew; // the node's reference has not been copied

        MakingNode(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            isNew = opcode == Opcodes.NEW && type.equals(QueueNode.PLAIN);
            if (!isNew)
                super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitInsn(int opcode) {
            if (!isNew || opcode != Opcodes.DUP)
                super.visitInsn(opcode);
            isNew = false;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            if (!owner.equals(QueueNode.PLAIN) || !called.equals("<init>")) {
                super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
                return;
            }
            super.visitMethodInsn(Opcodes.INVOKESTATIC, QueueNode.NAME, "of", QueueNode.OF, false);
            nNodes += descriptor.equals(QueueNode.INIT) ? 1 : NODES + 1;
        }
    }

    /** A queue's head is the node that is taken out last. */
    private final class TakingNode extends MethodVisitor {
        TakingNode(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.ARETURN) {
                super.visitInsn(Opcodes.DUP);
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitFieldInsn(Opcodes.GETFIELD, QueueNode.QUEUE, "head", "L" + QueueNode.PLAIN + ";");
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "taken", OF_TWO, false);
                nNodes++;
            }
            super.visitInsn(opcode);
        }
    }

    /** Around each call of TimerTask.run(). */
    private static final class RunningTimer extends MethodVisitor {
        RunningTimer(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String descriptor, boolean isInterface) {
            boolean isRun = owner.equals("java/util/TimerTask") && called.equals("run");

            if (isRun) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "begins", OF_ONE, false);
            }
            super.visitMethodInsn(opcode, owner, called, descriptor, isInterface);
            if (isRun)
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "ended", "()V", false);
        }
    }

    /** A thread of a pool begins, with its first task or none. */
    private static final class RunningWorker extends MethodVisitor {
        RunningWorker(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitVarInsn(Opcodes.ALOAD, 1);
            super.visitVarInsn(Opcodes.ALOAD, 1);
            super.visitFieldInsn(Opcodes.GETFIELD, POOL + "$Worker", "firstTask", RUNNABLE);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, TASKS, "firstBegins", OF_THREE, false);
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
                super.visitLdcInsn(Type.getObjectType(name));
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "current", "(Ljava/lang/Object;Ljava/lang/Class;)V", false);
            }
        }
    }
}
