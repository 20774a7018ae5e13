/*
 * targets.c - which classes the agent changes.
 *
 * weave.c looks a class up by its name. jfrkit.weave.Weaver has the changes of each class.
 */
#include "recorder/sources/targets.h"

#include <string.h>

#define CLASS(name, library, is_part)            \
    {                                            \
        name, sizeof(name) - 1, library, is_part \
    }
#define TASKS(name) CLASS(name, EXECUTORS, true)
#define SHADED "io/opentelemetry/javaagent/shaded/io/opentelemetry/"
#define STORAGE "context/ThreadLocalContextStorage"
#define CONCURRENT "java/util/concurrent/"
#define JETTY "org/eclipse/jetty/"
#define REACTOR "reactor/core/publisher/"
#define RX "io/reactivex/rxjava3/"
#define MUTINY "io/smallrye/mutiny/operators/"
#define DEPENDENT CONCURRENT "CompletableFuture$"

const struct weave_library weave_libraries[WEAVE_LIBRARIES] = {
    [SLF4J] = {"slf4j", SOURCE_MDC},
    [LOG4J] = {"Log4j", SOURCE_MDC},
    [JBOSS] = {"JBoss Log Manager", SOURCE_MDC},
    [OTEL_API] = {"the OpenTelemetry API", SOURCE_OTEL},
    [OTEL_AGENT] = {"the OpenTelemetry Java agent", SOURCE_OTEL},
    [EXECUTORS] = {"executors of the JDK", SOURCE_TASKS},
    [THREADS] = {"threads of the JDK", SOURCE_THREADS},
};

const struct target targets[] = {
    CLASS("org/slf4j/MDC", SLF4J, false),
    CLASS("org/apache/logging/log4j/ThreadContext", LOG4J, false),
    CLASS("org/jboss/logmanager/MDC", JBOSS, false),
    CLASS("io/quarkus/vertx/core/runtime/VertxMDC", JBOSS, true), /* where Quarkus keeps it */
    CLASS("io/vertx/core/impl/VertxImpl", JBOSS, true),
    CLASS("io/opentelemetry/" STORAGE, OTEL_API, false),
    CLASS("io/opentelemetry/" STORAGE "$ScopeImpl", OTEL_API, true),
    CLASS("io/opentelemetry/sdk/trace/SdkSpan", OTEL_API, true),
    CLASS(SHADED STORAGE, OTEL_AGENT, false),
    CLASS(SHADED STORAGE "$ScopeImpl", OTEL_AGENT, true),
    TASKS(CONCURRENT "ThreadPoolExecutor"),
    TASKS(CONCURRENT "ThreadPoolExecutor$Worker"),
    TASKS(CONCURRENT "LinkedBlockingQueue"),
    TASKS(CONCURRENT "ScheduledThreadPoolExecutor"),
    TASKS(CONCURRENT "CompletableFuture$ThreadPerTaskExecutor"),
    TASKS(DEPENDENT "UniApply"),
    TASKS(DEPENDENT "UniAccept"),
    TASKS(DEPENDENT "UniRun"),
    TASKS(DEPENDENT "UniWhenComplete"),
    TASKS(DEPENDENT "UniHandle"),
    TASKS(DEPENDENT "UniExceptionally"),
    TASKS(DEPENDENT "UniComposeExceptionally"),
    TASKS(DEPENDENT "UniCompose"),
    TASKS(DEPENDENT "BiApply"),
    TASKS(DEPENDENT "BiAccept"),
    TASKS(DEPENDENT "BiRun"),
    TASKS(DEPENDENT "OrApply"),
    TASKS(DEPENDENT "OrAccept"),
    TASKS(DEPENDENT "OrRun"),
    TASKS(CONCURRENT "ThreadPerTaskExecutor"),
    TASKS("java/lang/ThreadBuilders"), /* of virtual threads */
    TASKS(CONCURRENT "ForkJoinPool"),
    TASKS(CONCURRENT "ForkJoinTask"),
    TASKS("java/util/Timer"),
    TASKS("java/util/TimerThread"),
    TASKS("io/netty/util/concurrent/SingleThreadEventExecutor"),
    CLASS("io/grpc/netty/shaded/io/netty/util/concurrent/SingleThreadEventExecutor", EXECUTORS,
          true),
    TASKS("io/grpc/SynchronizationContext"),
    TASKS("io/grpc/internal/SerializingExecutor"),
    TASKS("io/grpc/netty/WriteQueue"),
    TASKS("io/grpc/netty/shaded/io/grpc/netty/WriteQueue"),
    TASKS("io/netty/util/concurrent/ScheduledFutureTask"),
    TASKS("io/netty/util/HashedWheelTimer$HashedWheelTimeout"),
    TASKS("io/netty/util/concurrent/DefaultPromise"),
    TASKS("io/netty/util/concurrent/CompleteFuture"),
    TASKS("io/grpc/netty/shaded/io/netty/util/concurrent/DefaultPromise"),
    TASKS("io/grpc/netty/shaded/io/netty/util/concurrent/CompleteFuture"),
    TASKS("io/vertx/core/impl/TaskQueue"),
    TASKS("io/vertx/core/impl/future/FutureImpl"),
    TASKS("io/vertx/core/impl/future/FutureImpl$ListenerArray"),
    TASKS("io/vertx/kotlin/coroutines/VertxCoroutineExecutor"),
    TASKS("org/jboss/threads/EnhancedQueueExecutor"),
    TASKS("org/springframework/core/task/SimpleAsyncTaskExecutor"),
    TASKS("org/apache/catalina/core/AsyncContextImpl"),
    TASKS("io/undertow/servlet/spec/AsyncContextImpl"),
    TASKS(JETTY "server/HttpChannelState"), /* up to Jetty 11 */
    TASKS(JETTY "server/AsyncContextState"),
    TASKS(JETTY "ee8/nested/HttpChannelState"),
    TASKS(JETTY "ee8/nested/AsyncContextState"),
    TASKS(JETTY "ee9/nested/HttpChannelState"),
    TASKS(JETTY "ee9/nested/AsyncContextState"),
    TASKS(JETTY "ee10/servlet/ServletChannelState"),
    TASKS(JETTY "ee10/servlet/AsyncContextState"),
    TASKS(JETTY "ee11/servlet/ServletChannelState"),
    TASKS(JETTY "ee11/servlet/AsyncContextState"),
    TASKS("com/google/common/util/concurrent/SequentialExecutor"),
    TASKS("com/google/common/util/concurrent/AbstractFuture"),
    TASKS("scala/concurrent/impl/Promise$Transformation"),
    TASKS("scala/concurrent/impl/CallbackRunnable"), /* up to Scala 2.12 */
    TASKS("okhttp3/internal/connection/RealCall$AsyncCall"),
    TASKS("okhttp3/RealCall$AsyncCall"), /* up to OkHttp 3 */
    TASKS("org/apache/pekko/dispatch/Mailbox"),
    TASKS("org/apache/pekko/actor/ActorCell"),
    TASKS("akka/dispatch/Mailbox"),
    TASKS("akka/actor/ActorCell"),
    TASKS(REACTOR "FluxCreate$BaseSink"),
    TASKS(REACTOR "FluxCreate$BufferAsyncSink"),
    TASKS(REACTOR "FluxCreate$IgnoreSink"),
    TASKS(REACTOR "FluxCreate$LatestAsyncSink"),
    TASKS(REACTOR "FluxCreate$NoOverflowBaseAsyncSink"),
    TASKS(REACTOR "FluxPublish$PubSubInner"),
    TASKS(REACTOR "FluxPublish$PublishSubscriber"),
    TASKS(REACTOR "FluxReplay$ReplayInner"),
    TASKS(REACTOR "FluxReplay$SizeAndTimeBoundReplayBuffer"),
    TASKS(REACTOR "FluxReplay$SizeBoundReplayBuffer"),
    TASKS(REACTOR "FluxReplay$UnboundedReplayBuffer"),
    TASKS(REACTOR "MonoCacheInvalidateIf"),
    TASKS(REACTOR "MonoCacheInvalidateIf$CacheMonoSubscriber"),
    TASKS(REACTOR "MonoCacheInvalidateIf$CoordinatorSubscriber"),
    TASKS(REACTOR "MonoCacheInvalidateWhen"),
    TASKS(REACTOR "MonoCacheInvalidateWhen$CacheMonoSubscriber"),
    TASKS(REACTOR "MonoCacheInvalidateWhen$CoordinatorSubscriber"),
    TASKS(REACTOR "MonoCacheTime"),
    TASKS(REACTOR "MonoCacheTime$CacheMonoSubscriber"),
    TASKS(REACTOR "MonoCacheTime$CoordinatorSubscriber"),
    TASKS(REACTOR "MonoCreate$DefaultMonoSink"),
    TASKS(REACTOR "NextProcessor"),
    TASKS(REACTOR "NextProcessor$NextInner"),
    TASKS(REACTOR "SinkEmptyMulticast"),
    TASKS(REACTOR "SinkEmptyMulticast$VoidInner"),
    TASKS(REACTOR "SinkOneMulticast"),
    TASKS(REACTOR "SinkOneMulticast$NextInner"),
    TASKS(REACTOR "SinkManyBestEffort$DirectInner"),
    TASKS(REACTOR "SinkManyEmitterProcessor"),
    TASKS(REACTOR "SinkManyReplayProcessor$ReplayInner"),
    TASKS(REACTOR "SinkManyUnicast"),
    TASKS(REACTOR "SinkManyUnicastNoBackpressure"),
    TASKS("reactor/netty/channel/FluxReceive"),
    TASKS("reactor/netty/internal/shaded/reactor/pool/AbstractPool$Borrower"),
    TASKS("reactor/pool/AbstractPool$Borrower"),
    TASKS(REACTOR "DirectProcessor$DirectInner"), /* up to Reactor 3.4 */
    TASKS(REACTOR "EmitterProcessor"), /* up to Reactor 3.4 */
    TASKS(REACTOR "MonoProcessor"), /* up to Reactor 3.4 */
    TASKS(REACTOR "MonoProcessor$NextInner"), /* up to Reactor 3.4 */
    TASKS(REACTOR "ReplayProcessor$ReplayInner"), /* up to Reactor 3.4 */
    TASKS(REACTOR "UnicastManySinkNoBackpressure"), /* up to Reactor 3.4 */
    TASKS(REACTOR "UnicastProcessor"), /* up to Reactor 3.4 */
    TASKS(RX "internal/operators/completable/CompletableCache"),
    TASKS(RX "internal/operators/completable/CompletableCache$InnerCompletableCache"),
    TASKS(RX "internal/operators/completable/CompletableCreate$Emitter"),
    TASKS(RX "internal/operators/flowable/FlowableCache"),
    TASKS(RX "internal/operators/flowable/FlowableCache$CacheSubscription"),
    TASKS(RX "internal/operators/flowable/FlowableCreate$BaseEmitter"),
    TASKS(RX "internal/operators/flowable/FlowableCreate$BufferAsyncEmitter"),
    TASKS(RX "internal/operators/flowable/FlowableCreate$LatestAsyncEmitter"),
    TASKS(RX "internal/operators/flowable/FlowableCreate$MissingEmitter"),
    CLASS(RX "internal/operators/flowable/FlowableCreate$NoOverflowBaseAsyncEmitter", EXECUTORS,
          true),
    TASKS(RX "internal/operators/flowable/FlowablePublish$InnerSubscription"),
    TASKS(RX "internal/operators/flowable/FlowablePublish$PublishConnection"),
    TASKS(RX "internal/operators/flowable/FlowableReplay$BoundedReplayBuffer"),
    TASKS(RX "internal/operators/flowable/FlowableReplay$InnerSubscription"),
    TASKS(RX "internal/operators/flowable/FlowableReplay$UnboundedReplayBuffer"),
    TASKS(RX "internal/operators/maybe/MaybeCache"),
    TASKS(RX "internal/operators/maybe/MaybeCache$CacheDisposable"),
    TASKS(RX "internal/operators/maybe/MaybeCreate$Emitter"),
    TASKS(RX "internal/operators/observable/ObservableCache"),
    TASKS(RX "internal/operators/observable/ObservableCache$CacheDisposable"),
    TASKS(RX "internal/operators/observable/ObservableCreate$CreateEmitter"),
    TASKS(RX "internal/operators/observable/ObservablePublish$InnerDisposable"),
    TASKS(RX "internal/operators/observable/ObservablePublish$PublishConnection"),
    TASKS(RX "internal/operators/observable/ObservableReplay$InnerDisposable"),
    TASKS(RX "internal/operators/single/SingleCache"),
    TASKS(RX "internal/operators/single/SingleCache$CacheDisposable"),
    TASKS(RX "internal/operators/single/SingleCreate$Emitter"),
    TASKS(RX "internal/util/NotificationLite"),
    TASKS(RX "processors/BehaviorProcessor$BehaviorSubscription"),
    TASKS(RX "processors/MulticastProcessor$MulticastSubscription"),
    TASKS(RX "processors/PublishProcessor$PublishSubscription"),
    TASKS(RX "processors/ReplayProcessor$ReplaySubscription"),
    TASKS(RX "processors/ReplayProcessor$SizeAndTimeBoundReplayBuffer"),
    TASKS(RX "processors/ReplayProcessor$SizeBoundReplayBuffer"),
    TASKS(RX "processors/ReplayProcessor$UnboundedReplayBuffer"),
    TASKS(RX "processors/UnicastProcessor"),
    TASKS(RX "subjects/BehaviorSubject$BehaviorDisposable"),
    TASKS(RX "subjects/CompletableSubject"),
    TASKS(RX "subjects/CompletableSubject$CompletableDisposable"),
    TASKS(RX "subjects/MaybeSubject"),
    TASKS(RX "subjects/MaybeSubject$MaybeDisposable"),
    TASKS(RX "subjects/PublishSubject$PublishDisposable"),
    TASKS(RX "subjects/ReplaySubject$ReplayDisposable"),
    TASKS(RX "subjects/ReplaySubject$SizeAndTimeBoundReplayBuffer"),
    TASKS(RX "subjects/ReplaySubject$SizeBoundReplayBuffer"),
    TASKS(RX "subjects/ReplaySubject$UnboundedReplayBuffer"),
    TASKS(RX "subjects/SingleSubject"),
    TASKS(RX "subjects/SingleSubject$SingleDisposable"),
    TASKS(RX "subjects/UnicastSubject"),
    TASKS(MUTINY "multi/MultiCacheOp$CacheSubscription"),
    TASKS(MUTINY "multi/builders/BaseMultiEmitter"),
    TASKS(MUTINY "multi/builders/BufferItemMultiEmitter"),
    TASKS(MUTINY "multi/builders/EmitterBasedMulti$DropLatestOnOverflowMultiEmitter"),
    TASKS(MUTINY "multi/builders/EmitterBasedMulti$IgnoreBackPressureMultiEmitter"),
    TASKS(MUTINY "multi/builders/EmitterBasedMulti$NoOverflowBaseMultiEmitter"),
    TASKS(MUTINY "multi/multicast/MultiPublishOp$InnerSubscriber"),
    TASKS(MUTINY "multi/multicast/MultiPublishOp$PublishSubscriber"),
    TASKS(MUTINY "multi/processors/BroadcastProcessor$BroadcastSubscription"),
    TASKS(MUTINY "multi/processors/UnicastProcessor"),
    TASKS(MUTINY "multi/replay/ReplayOperator$ReplaySubscription"),
    TASKS(MUTINY "uni/UniMemoizeOp"),
    TASKS(MUTINY "uni/UniMemoizeOp$MemoizedSubscription"),
    TASKS(MUTINY "uni/builders/DefaultUniEmitter"),
    CLASS("java/lang/Thread", THREADS, true),
};

const size_t n_targets = sizeof(targets) / sizeof(targets[0]);

_Static_assert(sizeof(targets) / sizeof(targets[0]) <= TARGETS_MAX,
               "more classes than TARGETS_MAX");

const struct target *target_of(const char *name, size_t n)
{
    for (size_t i = 0; i < n_targets; i++)
        if (targets[i].length == n && memcmp(targets[i].name, name, n) == 0)
            return &targets[i];
    return NULL;
}
