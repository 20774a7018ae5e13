/*
 * hooks.c - the native methods of jfrkit.weave.Hooks: they intern values and set contexts on the
 * calling thread.
 *
 * Java code sets values that are known in place, in the record of the thread (jfrkit.weave.Record).
 * It leaves to these methods what is new, and changes of which there is an event.
 *
 * Threads of the program run the native methods, so these take no lock except for keys that are
 * new. weave.c registers them; sources.c defines the contexts.
 */
#include "recorder/sources/hooks.h"

#include "recorder/base/redact.h"
#include "recorder/context/java.h"
#include "recorder/context/values.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic bool is_on, has_delivered[SOURCE_N];

/* --- the mapped diagnostic context --- */

static struct key {
    char name[CONTEXT_NAME_MAX];
    int type; /* of context_define() */
    uint32_t attribute;
    bool is_secret;
} keys[HOOKS_KEYS];
static _Atomic uint32_t n_keys; /* those before it do not change */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static char other_keys[HOOKS_OTHER_KEYS][CONTEXT_NAME_MAX], failure[CONTEXT_NAME_MAX];
static size_t n_other_keys;

static void note_delivery(enum source source)
{
    if (!atomic_load_explicit(&has_delivered[source], memory_order_relaxed))
        atomic_store_explicit(&has_delivered[source], true, memory_order_relaxed);
}

static uint32_t hook_value_of(JNIEnv *env, jstring text, bool is_secret)
{
    bool is_new;

    if (text == NULL)
        return VALUE_NULL;
    return is_secret ? values_intern(REDACTED, strlen(REDACTED))
                     : context_java_value(env, text, &is_new);
}

/* A reference of jfrkit.weave.Texts: the generation of the table of values before the value was
 * looked up, REFERENCE_IS_OLD if the value had been there, and its id. */
#define REFERENCE_IS_OLD (UINT64_C(1) << 31)

static jlong make_reference(uint32_t generation, uint32_t id, bool is_new)
{
    bool is_old = !is_new && id >= VALUES_FIRST;

    return (jlong)((uint64_t)generation << 32 | (is_old ? REFERENCE_IS_OLD : 0) | id);
}

/* Returns whether the reference's value still has its id: the table keeps a value's id for some
 * seconds after the generation has changed, so the id is good for the call at hand. */
static bool read_reference(jlong reference, uint32_t *id)
{
    *id = (uint32_t)reference & (VALUES_MAX - 1);
    return reference == 0 || (uint32_t)((uint64_t)reference >> 32) == values_generation();
}

static jlong JNICALL make_text_reference(JNIEnv *env, jclass cls, jstring text)
{
    uint32_t generation = values_generation(), id;
    bool is_new;

    (void)cls;
    id = context_java_value(env, text, &is_new);
    return make_reference(generation, id, is_new);
}

static bool may_set_key(jint i)
{
    if (!atomic_load(&is_on) || i < 0 || (uint32_t)i >= atomic_load(&n_keys))
        return false;
    note_delivery(SOURCE_MDC);
    return true;
}

static jlong JNICALL set_key(JNIEnv *env, jclass cls, jint i, jstring value)
{
    jlong reference;
    uint32_t id;

    if (!may_set_key(i))
        return 0;
    if (value == NULL || keys[i].is_secret) {
        context_set(keys[i].type, keys[i].attribute, hook_value_of(env, value, keys[i].is_secret));
        return 0;
    }
    reference = make_text_reference(env, cls, value);
    id = (uint32_t)reference & (VALUES_MAX - 1);
    context_set(keys[i].type, keys[i].attribute, id);
    return reference;
}

static jboolean JNICALL set_cached_key(JNIEnv *env, jclass cls, jint i, jlong reference)
{
    uint32_t id;

    (void)env, (void)cls;
    if (!may_set_key(i))
        return true;
    if (keys[i].is_secret || !read_reference(reference, &id))
        return false;
    context_set(keys[i].type, keys[i].attribute, id);
    return true;
}

/* Keys of one context stand together. */
static void replace_keys(JNIEnv *env, jobjectArray values,
                         void (*set)(int type, const uint32_t *values, size_t n))
{
    uint32_t n = atomic_load(&n_keys), ids[CONTEXT_SLOTS];
    jsize n_values = values == NULL ? 0 : (*env)->GetArrayLength(env, values);

    if (!atomic_load(&is_on))
        return;
    for (uint32_t i = 0; i < n; i++) {
        jstring text =
            (jsize)i < n_values ? (*env)->GetObjectArrayElement(env, values, (jsize)i) : NULL;

        ids[keys[i].attribute] = hook_value_of(env, text, keys[i].is_secret);
        (*env)->DeleteLocalRef(env, text);
        if (i + 1 == n || keys[i + 1].type != keys[i].type)
            set(keys[i].type, ids, keys[i].attribute + 1);
    }
    if (n_values > 0)
        note_delivery(SOURCE_MDC);
}

static void JNICALL set_keys(JNIEnv *env, jclass cls, jobjectArray values)
{
    (void)cls;
    replace_keys(env, values, context_set_all);
}

static void JNICALL continue_keys(JNIEnv *env, jclass cls, jobjectArray values)
{
    (void)cls;
    replace_keys(env, values, context_continue_all);
}

static void copy_text(JNIEnv *env, jstring text, char out[CONTEXT_NAME_MAX])
{
    char room[3 * CONTEXT_NAME_MAX + 1] = "";
    jsize n = (*env)->GetStringLength(env, text);

    (*env)->GetStringUTFRegion(env, text, 0, n < CONTEXT_NAME_MAX ? n : CONTEXT_NAME_MAX, room);
    snprintf(out, CONTEXT_NAME_MAX, "%s", room);
}

static void JNICALL note_key(JNIEnv *env, jclass cls, jstring key)
{
    char name[CONTEXT_NAME_MAX];

    (void)cls;
    copy_text(env, key, name);
    pthread_mutex_lock(&lock);
    if (n_other_keys < HOOKS_OTHER_KEYS)
        strcpy(other_keys[n_other_keys++], name);
    pthread_mutex_unlock(&lock);
    note_delivery(SOURCE_MDC);
}

static void JNICALL note_failure(JNIEnv *env, jclass cls, jstring what)
{
    char text[CONTEXT_NAME_MAX];

    (void)cls;
    copy_text(env, what, text);
    pthread_mutex_lock(&lock);
    if (failure[0] == '\0')
        strcpy(failure, text);
    pthread_mutex_unlock(&lock);
}

size_t hooks_n_other_keys(void)
{
    size_t n;

    pthread_mutex_lock(&lock);
    n = n_other_keys;
    pthread_mutex_unlock(&lock);
    return n;
}

void hooks_other_key(size_t i, char out[CONTEXT_NAME_MAX])
{
    pthread_mutex_lock(&lock);
    strcpy(out, other_keys[i]);
    pthread_mutex_unlock(&lock);
}

void hooks_failure(char out[CONTEXT_NAME_MAX])
{
    pthread_mutex_lock(&lock);
    strcpy(out, failure);
    pthread_mutex_unlock(&lock);
}

size_t hooks_n_keys(void)
{
    return atomic_load(&n_keys);
}

const char *hooks_key(size_t i)
{
    return keys[i].name;
}

/* A String[]; NULL: an exception is pending. */
static jobjectArray new_texts(JNIEnv *env, const char *const *texts, size_t n)
{
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray array =
        string == NULL ? NULL : (*env)->NewObjectArray(env, (jsize)n, string, NULL);

    (*env)->DeleteLocalRef(env, string);
    for (size_t i = 0; i < n && array != NULL; i++) {
        jstring text = (*env)->NewStringUTF(env, texts[i]);

        if (text == NULL)
            return NULL;
        (*env)->SetObjectArrayElement(env, array, (jsize)i, text);
        (*env)->DeleteLocalRef(env, text);
    }
    return array;
}

#define PLACE 4 /* integers of one value, see put_record_place() */

/* Calls record() of a class with what it has to record: the names, and the places of the values in
 * the records of threads. Returns false after an exception, which is cleared. */
static bool pass_places(JNIEnv *env, jclass cls, const char *const *names, size_t n_names,
                        const jint *places, size_t n_places)
{
    jsize n = (jsize)(PLACE * n_places);
    jmethodID record = (*env)->GetStaticMethodID(env, cls, "record", "([Ljava/lang/String;[I)V");
    jobjectArray texts = record == NULL ? NULL : new_texts(env, names, n_names);
    jintArray numbers = texts == NULL ? NULL : (*env)->NewIntArray(env, n);

    if (numbers != NULL) {
        if (n > 0)
            (*env)->SetIntArrayRegion(env, numbers, 0, n, places);
        (*env)->CallStaticVoidMethod(env, cls, record, texts, numbers);
    }
    (*env)->DeleteLocalRef(env, numbers);
    (*env)->DeleteLocalRef(env, texts);
    if (!(*env)->ExceptionCheck(env))
        return true;
    (*env)->ExceptionClear(env);
    return false;
}

/* Where a thread's record has an attribute of a context: index of the context, its first slot, its
 * number of slots, the attribute. No slots: Java code may not set the value. */
static void put_record_place(int type, uint32_t attribute, bool is_in_place, jint place[PLACE])
{
    const struct context_type *t = context_type_of(type);

    place[0] = type - 1;
    place[1] = (jint)t->first;
    place[2] = is_in_place ? (jint)t->n : 0;
    place[3] = (jint)attribute;
}

static const struct context_type *type_named(const char *name)
{
    for (size_t t = 0; t < context_n_types(); t++)
        if (strcmp(context_type_at(t)->name, name) == 0)
            return context_type_at(t);
    return NULL;
}

/* "mdc", or "mdc2" ... where that has other attributes, of the program or of an earlier recording.
 * 0: no room. */
static int define_hooks(const char *name, const char *const *attributes, const uint8_t *bytes,
                        size_t n)
{
    char other[CONTEXT_NAME_MAX];

    for (size_t i = 1; i <= CONTEXT_TYPES; i++) {
        const struct context_type *t;

        snprintf(other, sizeof(other), i == 1 ? "%s" : "%s%zu", name, i);
        t = type_named(other);
        if (t == NULL || context_is_type(t, attributes, bytes, n))
            return context_define_sized(other, attributes, bytes, n);
    }
    return 0;
}

static bool pass_keys(JNIEnv *env, jclass hooks, size_t n, bool is_in_place)
{
    const char *names[HOOKS_KEYS];
    jint places[PLACE * HOOKS_KEYS];

    for (size_t i = 0; i < n; i++) {
        const struct key *k = &keys[i];

        names[i] = k->name;
        put_record_place(k->type, k->attribute, is_in_place && !k->is_secret, &places[PLACE * i]);
    }
    return pass_places(env, hooks, names, n, places, n);
}

int hooks_add_keys(JNIEnv *env, jclass hooks, bool is_in_place, const char *const *names, size_t n)
{
    uint32_t before = atomic_load(&n_keys);
    int type = before + n > HOOKS_KEYS ? 0 : define_hooks("mdc", names, NULL, n);

    if (type == 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        keys[before + i] =
            (struct key){.type = type, .attribute = i, .is_secret = redact_is_secret(names[i])};
        snprintf(keys[before + i].name, CONTEXT_NAME_MAX, "%s", names[i]);
    }
    atomic_store(&n_keys, before + (uint32_t)n);
    return pass_keys(env, hooks, before + n, is_in_place) ? 0 : -1;
}

/* --- OpenTelemetry --- */

static _Atomic int span_type;
static size_t n_span_attributes;
static bool span_secret[CONTEXT_SLOTS];

/* By the constants of jfrkit.weave.Record: how the current span belongs to the one before. */
static void (*const set_context[])(int, const uint32_t *, size_t) = {
    context_set_all, /* a request begins */
    context_change_all, /* another span of the request that is current on this thread */
    context_continue_all, /* of a request that began elsewhere */
};

/* Slots of the context. The ids have several each. */
enum {
    SPAN_TRACE = 0,
    SPAN_ID = 4,
    SPAN_NAME = 6,
    SPAN_ROUTE = 7
};

static void put_span_id(uint32_t *words, jlong bytes)
{
    words[0] = (uint32_t)((uint64_t)bytes >> 32);
    words[1] = (uint32_t)bytes;
}

/* The slot of an attribute as jfrkit.weave.Spans counts them: a text. */
static size_t span_slot(size_t attribute)
{
    return attribute + SPAN_NAME - 2;
}

static jboolean JNICALL set_span(JNIEnv *env, jclass cls, jint how, jlong trace_high,
                                 jlong trace_low, jlong id, jlong name, jlong route,
                                 jobjectArray more)
{
    int type = atomic_load(&span_type);
    jsize n_more = more == NULL ? 0 : (*env)->GetArrayLength(env, more);
    uint32_t words[CONTEXT_SLOTS];

    (void)cls;
    if (type == 0 || !atomic_load(&is_on) || how < 0 || how > 2)
        return true;
    for (size_t i = HOOKS_OTEL_SLOTS; i < span_slot(n_span_attributes); i++)
        words[i] = VALUE_NULL;
    if (!read_reference(name, &words[SPAN_NAME]) || !read_reference(route, &words[SPAN_ROUTE]))
        return false;
    put_span_id(&words[SPAN_TRACE], trace_high);
    put_span_id(&words[SPAN_TRACE + 2], trace_low);
    put_span_id(&words[SPAN_ID], id);
    for (jsize k = 0; k < n_more && HOOKS_OTEL + (size_t)k < n_span_attributes; k++) {
        jstring text = (*env)->GetObjectArrayElement(env, more, k);

        words[HOOKS_OTEL_SLOTS + k] = hook_value_of(env, text, span_secret[HOOKS_OTEL + k]);
        (*env)->DeleteLocalRef(env, text);
    }
    set_context[how](type, words, span_slot(n_span_attributes));
    if ((trace_high | trace_low) != 0)
        note_delivery(SOURCE_OTEL);
    return true;
}

static void JNICALL clear_span(JNIEnv *env, jclass cls)
{
    int type = atomic_load(&span_type);

    (void)env, (void)cls;
    if (type != 0 && atomic_load(&is_on))
        context_clear(type);
}

static void JNICALL set_span_part(JNIEnv *env, jclass cls, jint attribute, jstring value)
{
    int type = atomic_load(&span_type);

    (void)cls;
    if (type != 0 && atomic_load(&is_on) && attribute >= 2 && (size_t)attribute < n_span_attributes)
        context_set(type, span_slot((size_t)attribute),
                    hook_value_of(env, value, span_secret[attribute]));
}

/* "baggage:user" is the attribute "user", "http.request.method" is "http_request_method". */
static void attribute_name(const char *key, char out[CONTEXT_NAME_MAX])
{
    const char *name = strncmp(key, "baggage:", 8) == 0 ? key + 8 : key;

    snprintf(out, CONTEXT_NAME_MAX, "%s", name);
    for (char *p = out; *p != '\0'; p++)
        if (*p == '.')
            *p = '_';
}

int hooks_define_spans(JNIEnv *env, jclass spans, bool is_in_place,
                       char (*more)[CONTEXT_SOURCE_KEY], size_t n)
{
    static char names[CONTEXT_SLOTS][CONTEXT_NAME_MAX] = {"trace_id", "span_id", "name", "route"};
    static const uint8_t bytes[CONTEXT_SLOTS] = {16, 8};
    const char *attributes[CONTEXT_SLOTS], *wanted[CONTEXT_SLOTS];
    jint place[PLACE];
    int type;

    if (HOOKS_OTEL_SLOTS + n > CONTEXT_SLOTS)
        return -1;
    atomic_store(&span_type, 0);
    for (size_t i = 0; i < n; i++) {
        attribute_name(more[i], names[HOOKS_OTEL + i]);
        wanted[i] = more[i];
        span_secret[HOOKS_OTEL + i] = redact_is_secret(names[HOOKS_OTEL + i]);
    }
    for (size_t i = 0; i < HOOKS_OTEL + n; i++)
        attributes[i] = names[i];
    type = define_hooks("otel", attributes, bytes, HOOKS_OTEL + n);
    if (type == 0)
        return -1;
    put_record_place(type, 0, is_in_place, place);
    if (!pass_places(env, spans, wanted, n, place, 1))
        return -1;
    n_span_attributes = HOOKS_OTEL + n;
    atomic_store(&span_type, type);
    return 0;
}

/* --- all of them --- */

void hooks_leave_records(JNIEnv *env, jclass hooks, jclass spans)
{
    pass_places(env, hooks, NULL, 0, NULL, 0);
    pass_places(env, spans, NULL, 0, NULL, 0);
}

void hooks_set_on(bool on)
{
    if (on) {
        for (enum source s = 0; s < SOURCE_N; s++)
            atomic_store(&has_delivered[s], false);
        atomic_store(&n_keys, 0);
        atomic_store(&span_type, 0);
    }
    atomic_store(&is_on, on);
}

bool hooks_are_on(void)
{
    return atomic_load(&is_on);
}

uint32_t hooks_mdc_types(void)
{
    uint32_t types = 0;

    for (uint32_t i = 0; i < atomic_load(&n_keys); i++)
        types |= 1U << (keys[i].type - 1);
    return types;
}

uint32_t hooks_span_types(void)
{
    int type = atomic_load(&span_type);

    return type == 0 ? 0 : 1U << (type - 1);
}

void hooks_clear_all(void)
{
    uint32_t types = hooks_mdc_types() | hooks_span_types();

    for (int t = 0; t < CONTEXT_TYPES; t++)
        if ((types & 1U << t) != 0)
            context_clear_everywhere(t + 1);
}

bool hooks_has_delivered(enum source source)
{
    return atomic_load(&has_delivered[source]);
}

const JNINativeMethod hooks_natives[HOOKS_NATIVES] = {
    {"intern", "(Ljava/lang/String;)J", (void *)make_text_reference},
    {"set", "(ILjava/lang/String;)J", (void *)set_key},
    {"setCached", "(IJ)Z", (void *)set_cached_key},
    {"setAll", "([Ljava/lang/String;)V", (void *)set_keys},
    {"continueAll", "([Ljava/lang/String;)V", (void *)continue_keys},
    {"keySeen", "(Ljava/lang/String;)V", (void *)note_key},
    {"failed", "(Ljava/lang/String;)V", (void *)note_failure},
    {"span", "(IJJJJJ[Ljava/lang/String;)Z", (void *)set_span},
    {"clearSpan", "()V", (void *)clear_span},
    {"spanPart", "(ILjava/lang/String;)V", (void *)set_span_part},
};
