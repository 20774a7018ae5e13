/*
 * targets.c - which classes the agent changes.
 *
 * weave.c looks a class up by its name. jfrkit.weave.Weaver has the changes of each class.
 */
#include "recorder/sources/targets.h"

#include <string.h>

#define SHADED "io/opentelemetry/javaagent/shaded/io/opentelemetry/"
#define STORAGE "context/ThreadLocalContextStorage"
#define CONCURRENT "java/util/concurrent/"
#define JETTY "org/eclipse/jetty/"
#define REACTOR "reactor/core/publisher/"
#define RX "io/reactivex/rxjava3/"
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
    {"org/slf4j/MDC", SLF4J, false},
    {"org/apache/logging/log4j/ThreadContext", LOG4J, false},
    {"org/jboss/logmanager/MDC", JBOSS, false},
    {"io/quarkus/vertx/core/runtime/VertxMDC", JBOSS, true}, /* where Quarkus keeps it */
    {"io/vertx/core/impl/VertxImpl", JBOSS, true},
    {"io/opentelemetry/" STORAGE, OTEL_API, false},
    {"io/opentelemetry/" STORAGE "$ScopeImpl", OTEL_API, true},
    {"io/opentelemetry/sdk/trace/SdkSpan", OTEL_API, true},
    {SHADED STORAGE, OTEL_AGENT, false},
    {SHADED STORAGE "$ScopeImpl", OTEL_AGENT, true},
    {CONCURRENT "ThreadPoolExecutor", EXECUTORS, true},
    {CONCURRENT "ThreadPoolExecutor$Worker", EXECUTORS, true},
    {CONCURRENT "LinkedBlockingQueue", EXECUTORS, true},
    {CONCURRENT "ScheduledThreadPoolExecutor", EXECUTORS, true},
    {CONCURRENT "CompletableFuture$ThreadPerTaskExecutor", EXECUTORS, true},
    {DEPENDENT "UniApply", EXECUTORS, true},
    {DEPENDENT "UniAccept", EXECUTORS, true},
    {DEPENDENT "UniRun", EXECUTORS, true},
    {DEPENDENT "UniWhenComplete", EXECUTORS, true},
    {DEPENDENT "UniHandle", EXECUTORS, true},
    {DEPENDENT "UniExceptionally", EXECUTORS, true},
    {DEPENDENT "UniComposeExceptionally", EXECUTORS, true},
    {DEPENDENT "UniCompose", EXECUTORS, true},
    {DEPENDENT "BiApply", EXECUTORS, true},
    {DEPENDENT "BiAccept", EXECUTORS, true},
    {DEPENDENT "BiRun", EXECUTORS, true},
    {DEPENDENT "OrApply", EXECUTORS, true},
    {DEPENDENT "OrAccept", EXECUTORS, true},
    {DEPENDENT "OrRun", EXECUTORS, true},
    {CONCURRENT "ThreadPerTaskExecutor", EXECUTORS, true},
    {"java/lang/ThreadBuilders", EXECUTORS, true}, /* of virtual threads */
    {CONCURRENT "ForkJoinPool", EXECUTORS, true},
    {CONCURRENT "ForkJoinTask", EXECUTORS, true},
    {"java/util/Timer", EXECUTORS, true},
    {"java/util/TimerThread", EXECUTORS, true},
    {"io/netty/util/concurrent/SingleThreadEventExecutor", EXECUTORS, true},
    {"io/grpc/netty/shaded/io/netty/util/concurrent/SingleThreadEventExecutor", EXECUTORS, true},
    {"io/vertx/core/impl/TaskQueue", EXECUTORS, true},
    {"io/vertx/kotlin/coroutines/VertxCoroutineExecutor", EXECUTORS, true},
    {"org/jboss/threads/EnhancedQueueExecutor", EXECUTORS, true},
    {"org/springframework/core/task/SimpleAsyncTaskExecutor", EXECUTORS, true},
    {"org/apache/catalina/core/AsyncContextImpl", EXECUTORS, true},
    {"io/undertow/servlet/spec/AsyncContextImpl", EXECUTORS, true},
    {JETTY "server/HttpChannelState", EXECUTORS, true}, /* up to Jetty 11 */
    {JETTY "server/AsyncContextState", EXECUTORS, true},
    {JETTY "ee8/nested/HttpChannelState", EXECUTORS, true},
    {JETTY "ee8/nested/AsyncContextState", EXECUTORS, true},
    {JETTY "ee9/nested/HttpChannelState", EXECUTORS, true},
    {JETTY "ee9/nested/AsyncContextState", EXECUTORS, true},
    {JETTY "ee10/servlet/ServletChannelState", EXECUTORS, true},
    {JETTY "ee10/servlet/AsyncContextState", EXECUTORS, true},
    {JETTY "ee11/servlet/ServletChannelState", EXECUTORS, true},
    {JETTY "ee11/servlet/AsyncContextState", EXECUTORS, true},
    {"com/google/common/util/concurrent/SequentialExecutor", EXECUTORS, true},
    {"com/google/common/util/concurrent/AbstractFuture", EXECUTORS, true},
    {"scala/concurrent/impl/Promise$Transformation", EXECUTORS, true},
    {"scala/concurrent/impl/CallbackRunnable", EXECUTORS, true}, /* up to Scala 2.12 */
    {"okhttp3/internal/connection/RealCall$AsyncCall", EXECUTORS, true},
    {"okhttp3/RealCall$AsyncCall", EXECUTORS, true}, /* up to OkHttp 3 */
    {"org/apache/pekko/dispatch/Mailbox", EXECUTORS, true},
    {"org/apache/pekko/actor/ActorCell", EXECUTORS, true},
    {"akka/dispatch/Mailbox", EXECUTORS, true},
    {"akka/actor/ActorCell", EXECUTORS, true},
    {REACTOR "FluxCreate$BaseSink", EXECUTORS, true},
    {REACTOR "FluxCreate$BufferAsyncSink", EXECUTORS, true},
    {REACTOR "FluxCreate$IgnoreSink", EXECUTORS, true},
    {REACTOR "FluxCreate$LatestAsyncSink", EXECUTORS, true},
    {REACTOR "FluxCreate$NoOverflowBaseAsyncSink", EXECUTORS, true},
    {REACTOR "FluxPublish$PubSubInner", EXECUTORS, true},
    {REACTOR "FluxPublish$PublishSubscriber", EXECUTORS, true},
    {REACTOR "FluxReplay$ReplayInner", EXECUTORS, true},
    {REACTOR "FluxReplay$SizeAndTimeBoundReplayBuffer", EXECUTORS, true},
    {REACTOR "FluxReplay$SizeBoundReplayBuffer", EXECUTORS, true},
    {REACTOR "FluxReplay$UnboundedReplayBuffer", EXECUTORS, true},
    {REACTOR "MonoCacheInvalidateIf", EXECUTORS, true},
    {REACTOR "MonoCacheInvalidateIf$CacheMonoSubscriber", EXECUTORS, true},
    {REACTOR "MonoCacheInvalidateIf$CoordinatorSubscriber", EXECUTORS, true},
    {REACTOR "MonoCacheInvalidateWhen", EXECUTORS, true},
    {REACTOR "MonoCacheInvalidateWhen$CacheMonoSubscriber", EXECUTORS, true},
    {REACTOR "MonoCacheInvalidateWhen$CoordinatorSubscriber", EXECUTORS, true},
    {REACTOR "MonoCacheTime", EXECUTORS, true},
    {REACTOR "MonoCacheTime$CacheMonoSubscriber", EXECUTORS, true},
    {REACTOR "MonoCacheTime$CoordinatorSubscriber", EXECUTORS, true},
    {REACTOR "MonoCreate$DefaultMonoSink", EXECUTORS, true},
    {REACTOR "NextProcessor", EXECUTORS, true},
    {REACTOR "NextProcessor$NextInner", EXECUTORS, true},
    {REACTOR "SinkEmptyMulticast", EXECUTORS, true},
    {REACTOR "SinkEmptyMulticast$VoidInner", EXECUTORS, true},
    {REACTOR "SinkOneMulticast", EXECUTORS, true},
    {REACTOR "SinkOneMulticast$NextInner", EXECUTORS, true},
    {REACTOR "SinkManyBestEffort$DirectInner", EXECUTORS, true},
    {REACTOR "SinkManyEmitterProcessor", EXECUTORS, true},
    {REACTOR "SinkManyReplayProcessor$ReplayInner", EXECUTORS, true},
    {REACTOR "SinkManyUnicast", EXECUTORS, true},
    {REACTOR "SinkManyUnicastNoBackpressure", EXECUTORS, true},
    /* up to Reactor 3.4 */
    {REACTOR "DirectProcessor$DirectInner", EXECUTORS, true},
    {REACTOR "EmitterProcessor", EXECUTORS, true},
    {REACTOR "MonoProcessor", EXECUTORS, true},
    {REACTOR "MonoProcessor$NextInner", EXECUTORS, true},
    {REACTOR "ReplayProcessor$ReplayInner", EXECUTORS, true},
    {REACTOR "UnicastManySinkNoBackpressure", EXECUTORS, true},
    {REACTOR "UnicastProcessor", EXECUTORS, true},
    {"reactor/netty/channel/FluxReceive", EXECUTORS, true},
    {"reactor/netty/internal/shaded/reactor/pool/AbstractPool$Borrower", EXECUTORS, true},
    {"reactor/pool/AbstractPool$Borrower", EXECUTORS, true},
    {RX "internal/operators/completable/CompletableCache", EXECUTORS, true},
    {RX "internal/operators/completable/CompletableCache$InnerCompletableCache", EXECUTORS, true},
    {RX "internal/operators/completable/CompletableCreate$Emitter", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCache", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCache$CacheSubscription", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCreate$BaseEmitter", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCreate$BufferAsyncEmitter", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCreate$LatestAsyncEmitter", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCreate$MissingEmitter", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableCreate$NoOverflowBaseAsyncEmitter", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowablePublish$InnerSubscription", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowablePublish$PublishConnection", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableReplay$BoundedReplayBuffer", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableReplay$InnerSubscription", EXECUTORS, true},
    {RX "internal/operators/flowable/FlowableReplay$UnboundedReplayBuffer", EXECUTORS, true},
    {RX "internal/operators/maybe/MaybeCache", EXECUTORS, true},
    {RX "internal/operators/maybe/MaybeCache$CacheDisposable", EXECUTORS, true},
    {RX "internal/operators/maybe/MaybeCreate$Emitter", EXECUTORS, true},
    {RX "internal/operators/observable/ObservableCache", EXECUTORS, true},
    {RX "internal/operators/observable/ObservableCache$CacheDisposable", EXECUTORS, true},
    {RX "internal/operators/observable/ObservableCreate$CreateEmitter", EXECUTORS, true},
    {RX "internal/operators/observable/ObservablePublish$InnerDisposable", EXECUTORS, true},
    {RX "internal/operators/observable/ObservablePublish$PublishConnection", EXECUTORS, true},
    {RX "internal/operators/observable/ObservableReplay$InnerDisposable", EXECUTORS, true},
    {RX "internal/operators/single/SingleCache", EXECUTORS, true},
    {RX "internal/operators/single/SingleCache$CacheDisposable", EXECUTORS, true},
    {RX "internal/operators/single/SingleCreate$Emitter", EXECUTORS, true},
    {RX "internal/util/NotificationLite", EXECUTORS, true},
    {RX "processors/BehaviorProcessor$BehaviorSubscription", EXECUTORS, true},
    {RX "processors/MulticastProcessor$MulticastSubscription", EXECUTORS, true},
    {RX "processors/PublishProcessor$PublishSubscription", EXECUTORS, true},
    {RX "processors/ReplayProcessor$ReplaySubscription", EXECUTORS, true},
    {RX "processors/ReplayProcessor$SizeAndTimeBoundReplayBuffer", EXECUTORS, true},
    {RX "processors/ReplayProcessor$SizeBoundReplayBuffer", EXECUTORS, true},
    {RX "processors/ReplayProcessor$UnboundedReplayBuffer", EXECUTORS, true},
    {RX "processors/UnicastProcessor", EXECUTORS, true},
    {RX "subjects/BehaviorSubject$BehaviorDisposable", EXECUTORS, true},
    {RX "subjects/CompletableSubject", EXECUTORS, true},
    {RX "subjects/CompletableSubject$CompletableDisposable", EXECUTORS, true},
    {RX "subjects/MaybeSubject", EXECUTORS, true},
    {RX "subjects/MaybeSubject$MaybeDisposable", EXECUTORS, true},
    {RX "subjects/PublishSubject$PublishDisposable", EXECUTORS, true},
    {RX "subjects/ReplaySubject$ReplayDisposable", EXECUTORS, true},
    {RX "subjects/ReplaySubject$SizeAndTimeBoundReplayBuffer", EXECUTORS, true},
    {RX "subjects/ReplaySubject$SizeBoundReplayBuffer", EXECUTORS, true},
    {RX "subjects/ReplaySubject$UnboundedReplayBuffer", EXECUTORS, true},
    {RX "subjects/SingleSubject", EXECUTORS, true},
    {RX "subjects/SingleSubject$SingleDisposable", EXECUTORS, true},
    {RX "subjects/UnicastSubject", EXECUTORS, true},
    {"java/lang/Thread", THREADS, true},
};

const size_t n_targets = sizeof(targets) / sizeof(targets[0]);

_Static_assert(sizeof(targets) / sizeof(targets[0]) <= TARGETS_MAX,
               "more classes than TARGETS_MAX");

const struct target *target_of(const char *name, size_t n)
{
    for (size_t i = 0; i < n_targets; i++)
        if (strlen(targets[i].name) == n && memcmp(targets[i].name, name, n) == 0)
            return &targets[i];
    return NULL;
}
