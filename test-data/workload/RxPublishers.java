import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.CompletableEmitter;
import io.reactivex.rxjava3.core.Emitter;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeEmitter;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleEmitter;
import io.reactivex.rxjava3.processors.BehaviorProcessor;
import io.reactivex.rxjava3.processors.FlowableProcessor;
import io.reactivex.rxjava3.processors.MulticastProcessor;
import io.reactivex.rxjava3.processors.PublishProcessor;
import io.reactivex.rxjava3.processors.ReplayProcessor;
import io.reactivex.rxjava3.processors.UnicastProcessor;
import io.reactivex.rxjava3.subjects.BehaviorSubject;
import io.reactivex.rxjava3.subjects.CompletableSubject;
import io.reactivex.rxjava3.subjects.MaybeSubject;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subjects.ReplaySubject;
import io.reactivex.rxjava3.subjects.SingleSubject;
import io.reactivex.rxjava3.subjects.Subject;
import io.reactivex.rxjava3.subjects.UnicastSubject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Publishers of RxJava to which a user subscribes, and whose values the next user emits. For {@link Tasks}. */
final class RxPublishers {
    static final int OF_ONE = 10;
    static final int OF_MANY = 2 * 22;

    private static final NextUser ONE = new NextUser();
    private static final NextUser MANY = new NextUser();

    /** Those of RxJava begin with a task that stays for ever. */
    private static final Scheduler CLOCK = new Scheduler() {
        @Override
        public Worker createWorker() {
            throw new UnsupportedOperationException();
        }
    };

    private RxPublishers() {
    }

    /** Those with at most one value, which a subscriber waits for. */
    static void ofOne(String user, String way) {
        SingleSubject<String> single = SingleSubject.create();
        SingleSubject<String> failing = SingleSubject.create();
        MaybeSubject<String> maybe = MaybeSubject.create();
        CompletableSubject completable = CompletableSubject.create();
        AtomicReference<SingleEmitter<String>> ofSingle = new AtomicReference<>();
        AtomicReference<MaybeEmitter<String>> ofMaybe = new AtomicReference<>();
        AtomicReference<CompletableEmitter> ofCompletable = new AtomicReference<>();

        single.subscribe(v -> Tasks.read(user, way));
        single.cache().subscribe(v -> Tasks.read(user, way));
        failing.cache().subscribe(v -> { }, v -> Tasks.read(user, way));
        maybe.subscribe(v -> Tasks.read(user, way));
        maybe.cache().subscribe(v -> Tasks.read(user, way));
        completable.subscribe(() -> Tasks.read(user, way));
        completable.cache().subscribe(() -> Tasks.read(user, way));
        Single.<String>create(ofSingle::set).subscribe(v -> Tasks.read(user, way));
        Maybe.<String>create(ofMaybe::set).subscribe(v -> Tasks.read(user, way));
        Completable.create(ofCompletable::set).subscribe(() -> Tasks.read(user, way));
        ONE.leave(() -> {
            single.onSuccess("value");
            failing.onError(new IllegalStateException());
            maybe.onSuccess("value");
            completable.onComplete();
            ofSingle.get().onSuccess("value");
            ofMaybe.get().onSuccess("value");
            ofCompletable.get().onComplete();
        });
    }

    /** Those with many values. */
    static void ofMany(String user, String way) {
        List<Emitter<String>> emitters = new ArrayList<>();
        List<Subject<String>> subjects = new ArrayList<>();
        List<FlowableProcessor<String>> processors = new ArrayList<>();

        subjects.add(PublishSubject.create());
        subjects.add(BehaviorSubject.create());
        subjects.add(ReplaySubject.create());
        subjects.add(ReplaySubject.createWithSize(2));
        subjects.add(ReplaySubject.createWithTime(1, TimeUnit.HOURS, CLOCK));
        subjects.add(UnicastSubject.create());
        subjects.add(PublishSubject.<String>create().toSerialized());
        for (Subject<String> subject : subjects)
            subject.subscribe(v -> Tasks.read(user, way));
        observe(subjects.get(0).publish().autoConnect(), user, way);
        observe(subjects.get(0).replay().autoConnect(), user, way);
        observe(subjects.get(0).cache(), user, way);
        observe(Observable.create(emitters::add), user, way);
        processors.add(PublishProcessor.create());
        processors.add(BehaviorProcessor.create());
        processors.add(ReplayProcessor.create());
        processors.add(ReplayProcessor.createWithSize(2));
        processors.add(UnicastProcessor.create());
        processors.add(MulticastProcessor.create());
        ((MulticastProcessor<String>) processors.get(5)).startUnbounded();
        for (FlowableProcessor<String> processor : processors)
            processor.subscribe(v -> Tasks.read(user, way));
        processors.get(0).publish().autoConnect().subscribe(v -> Tasks.read(user, way));
        processors.get(0).replay().autoConnect().subscribe(v -> Tasks.read(user, way));
        processors.get(0).cache().subscribe(v -> Tasks.read(user, way));
        Flowable.<String>create(emitters::add, BackpressureStrategy.BUFFER).subscribe(v -> Tasks.read(user, way));
        Flowable.<String>create(emitters::add, BackpressureStrategy.MISSING).subscribe(v -> Tasks.read(user, way));
        MANY.leave(() -> {
            for (int i = 0; i < 2; i++) {
                subjects.forEach(subject -> subject.onNext("value"));
                processors.forEach(processor -> processor.onNext("value"));
                emitters.forEach(emitter -> emitter.onNext("value"));
            }
            subjects.forEach(Subject::onComplete);
            processors.forEach(FlowableProcessor::onComplete);
            emitters.forEach(Emitter::onComplete);
        });
    }

    private static void observe(Observable<String> values, String user, String way) {
        values.subscribe(v -> Tasks.read(user, way));
    }

    /** After the last user. */
    static void end() {
        ONE.leave(null);
        MANY.leave(null);
    }
}
