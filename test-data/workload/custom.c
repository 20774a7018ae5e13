/* custom.c - events of one's own from C: the native half of CustomEvents, and with -DALONE a
 * program that knows no Java. Prints what its wrong uses were told. */
#include "recorder/api/jfrkit_event.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct jk_field fields[] = {
    {"thread", JK_INT, "Thread"}, {"n", JK_LONG, "N", "Counts up", JK_BYTES},
    {"text", JK_STRING},          {"who", JK_THREAD},
    {"what", JK_CLASS},           {"share", JK_FLOAT, "Share", 0, JK_PERCENTAGE},
    {"last", JK_BOOLEAN},
};
static struct jk_event_type type = {
    "test.FromC", "From C", "What C commits", "Test|C", fields, sizeof(fields) / sizeof(fields[0]),
};

struct job {
    int number, n;
};

__attribute__((noinline)) void custom_commit_one(int number, int i, int n)
{
    struct jk_event e;
    const struct jk_value values[] = {
        jk_int(number),
        jk_long(i),
        jk_string("from C"),
        jk_thread((int)syscall(SYS_gettid)),
        jk_class("java.lang.String"),
        jk_float(0.5F),
        jk_boolean(i == n - 1),
    };

    jk_event_begin(&e, &type);
    if (jk_event_should_commit(&e))
        jk_event_commit(&e, values, sizeof(values) / sizeof(values[0]));
    __asm__ volatile(""); /* no tail call: it shall be in the stack */
}

static void *run(void *arg)
{
    struct job *job = arg;

    for (int i = 0; i < job->n; i++) {
        custom_commit_one(job->number, i, job->n);
        if (i % 50 == 49)
            usleep(1000);
    }
    return NULL;
}

static int tell(const char *name, int result, int want)
{
    printf("%s=%s\n", name, jk_event_text(result));
    return result != want;
}

/* How many wrong uses had another result than they should. */
static int wrong_uses(int is_recorded)
{
    static const struct jk_field twice[] = {{"a", JK_INT}, {"a", JK_INT}};
    static struct jk_event_type other = {"test.FromC", .fields = fields, .n_fields = 1};
    static struct jk_event_type name = {"no such-name"}, jdk = {"jdk.FileRead"};
    static struct jk_event_type field = {"test.Twice", .fields = twice, .n_fields = 2};
    static struct jk_event_type many = {"test.Many", .fields = twice, .n_fields = 33};
    const struct jk_value few[] = {jk_int(1)},
                          kinds[] = {jk_int(1), jk_int(1), jk_int(1), jk_int(1),
                                     jk_int(1), jk_int(1), jk_int(1)};
#define WANT(result) (is_recorded ? (result) : JK_NOT_WANTED)
    int wrong = 0;

    wrong += tell("number", jk_event_emit(&type, few, 1), WANT(JK_WRONG_NUMBER));
    wrong += tell("kind", jk_event_emit(&type, kinds, 7), WANT(JK_WRONG_KIND));
    wrong += tell("other", jk_event_emit(&other, few, 1), WANT(JK_OTHER_TYPE));
    wrong += tell("name", jk_event_define(&name), WANT(JK_BAD_NAME));
    wrong += tell("jdk", jk_event_define(&jdk), WANT(JK_BAD_NAME));
    wrong += tell("field", jk_event_define(&field), WANT(JK_BAD_FIELD));
    wrong += tell("many", jk_event_define(&many), WANT(JK_TOO_MANY_FIELDS));
    return wrong;
}

static int work(int threads, int n, int is_recorded)
{
    pthread_t all[64];
    struct job jobs[64];

    for (int i = 0; i < threads && i < 64; i++) {
        jobs[i] = (struct job){i, n};
        pthread_create(&all[i], NULL, run, &jobs[i]);
    }
    for (int i = 0; i < threads && i < 64; i++)
        pthread_join(all[i], NULL);
    custom_commit_one(-1, 0, 1);
    return wrong_uses(is_recorded) + (jk_event_is_enabled(&type) != is_recorded);
}

#ifdef ALONE
int main(void)
{
    return work(2, 10, 0);
}
#else
#include <jni.h>

JNIEXPORT jint JNICALL Java_CustomEvents_natives(JNIEnv *env, jclass cls, jint threads, jint n);
JNIEXPORT jint JNICALL Java_CustomEvents_natives(JNIEnv *env, jclass cls, jint threads, jint n)
{
    int wrong = work(threads, n, 1);

    (void)env, (void)cls;
    fflush(stdout);
    return wrong;
}
#endif
