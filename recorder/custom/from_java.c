/*
 * from_java.c - the native methods of jfrkit.EventNative: define a type, commit an event.
 *
 * They run on threads of the program. Java code has packed the values of an event as event.h
 * describes; nothing is trusted about their length.
 */
#include "recorder/custom/from_java.h"

#include "recorder/custom/event.h"
#include "recorder/custom/types.h"
#include "recorder/base/log.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/api/jfrkit_event.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_TEXTS 4 /* name, label, description, category; of a field the first three */
#define FIELD_TEXTS 3
#define FIELD_NUMBERS 3 /* kind, unit, flags */
#define API_FRAMES 2 /* EventNative.commit, Event.commit */

/* --- definitions --- */

/* Texts of a definition, to be freed together. */
struct texts {
    char *p[TYPE_TEXTS + FIELD_TEXTS * CUSTOM_FIELDS];
    size_t n;
};

static char *event_text_of(JNIEnv *env, jobjectArray from, jsize i)
{
    jstring s = (*env)->GetObjectArrayElement(env, from, i);
    jsize n;
    char *out;

    if (s == NULL)
        return NULL;
    n = (*env)->GetStringUTFLength(env, s);
    out = calloc(1, (size_t)n + 1);
    if (out != NULL)
        (*env)->GetStringUTFRegion(env, s, 0, (*env)->GetStringLength(env, s), out);
    (*env)->DeleteLocalRef(env, s);
    return out;
}

static void free_texts(struct texts *t)
{
    while (t->n > 0)
        free(t->p[--t->n]);
}

static void take_fields(struct jk_field *fields, int n, const struct texts *t, const jint *numbers)
{
    for (int i = 0; i < n; i++) {
        char *const *texts = t->p + TYPE_TEXTS + FIELD_TEXTS * i;

        fields[i] = (struct jk_field){
            .name = texts[0],
            .label = texts[1],
            .description = texts[2],
            .kind = numbers[FIELD_NUMBERS * i],
            .unit = numbers[FIELD_NUMBERS * i + 1],
            .flags = (unsigned)numbers[FIELD_NUMBERS * i + 2],
        };
    }
}

static int define_from_java(const struct texts *t, const jint *numbers, int n_fields, int flags,
                            int64_t threshold)
{
    struct jk_field fields[CUSTOM_FIELDS];
    struct jk_event_type type = {t->p[0], t->p[1],  t->p[2],         t->p[3],
                                 fields,  n_fields, (unsigned)flags, threshold};
    int rc;

    take_fields(fields, n_fields, t, numbers);
    rc = custom_define(&type);
    if (rc < 0)
        log_line(LOG_WARNING, "event type '%.200s' is refused: %s",
                 type.name == NULL ? "" : type.name, jk_event_text(rc));
    return rc;
}

JNIEXPORT jint JNICALL Java_jfrkit_EventNative_define(JNIEnv *env, jclass cls, jobjectArray from,
                                                      jintArray numbers, jint flags,
                                                      jlong threshold)
{
    jsize n = (*env)->GetArrayLength(env, from), n_fields = (n - TYPE_TEXTS) / FIELD_TEXTS;
    jint room[FIELD_NUMBERS * CUSTOM_FIELDS];
    struct texts t = {.n = 0};
    int rc;

    (void)cls;
    if (n < TYPE_TEXTS || n_fields > CUSTOM_FIELDS ||
        (*env)->GetArrayLength(env, numbers) != FIELD_NUMBERS * n_fields)
        return JK_TOO_MANY_FIELDS;
    for (jsize i = 0; i < n; i++)
        t.p[t.n++] = event_text_of(env, from, i);
    (*env)->GetIntArrayRegion(env, numbers, 0, FIELD_NUMBERS * n_fields, room);
    rc = define_from_java(&t, room, n_fields, flags, threshold);
    free_texts(&t);
    return rc;
}

JNIEXPORT jstring JNICALL Java_jfrkit_EventNative_text(JNIEnv *env, jclass cls, jint result)
{
    (void)cls;
    return (*env)->NewStringUTF(env, jk_event_text(result));
}

/* --- events --- */

JNIEXPORT jint JNICALL Java_jfrkit_EventNative_commit(JNIEnv *env, jclass cls, jint type,
                                                      jlong began, jlong duration, jlong thread,
                                                      jbyteArray values, jint n)
{
    uint8_t bytes[CUSTOM_VALUES_MAX];
    struct custom_event e = {
        .type = type,
        .began = began,
        .duration = duration,
        .values = bytes,
        .n_values = (size_t)n,
        .is_java = true,
        .thread_key = (uint64_t)thread,
        .skip = API_FRAMES,
    };

    (void)cls;
    if (n > 0 && n <= CUSTOM_VALUES_MAX)
        (*env)->GetByteArrayRegion(env, values, 0, n, (jbyte *)bytes);
    return custom_commit(&e);
}

JNIEXPORT jint JNICALL Java_jfrkit_EventNative_refused(JNIEnv *env, jclass cls, jint type)
{
    (void)env, (void)cls;
    return custom_refused(type);
}

JNIEXPORT void JNICALL Java_jfrkit_EventNative_cut(JNIEnv *env, jclass cls, jint n)
{
    (void)env, (void)cls;
    custom_cut((size_t)n);
}

/* The thresholds by type number, as a buffer that Java reads without a call. */
JNIEXPORT jobject JNICALL Java_jfrkit_EventNative_attach(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewDirectByteBuffer(env, (void *)custom_thresholds, sizeof(custom_thresholds));
}

const JNINativeMethod custom_natives[CUSTOM_NATIVES] = {
    {"attach", "()Ljava/nio/ByteBuffer;", (void *)Java_jfrkit_EventNative_attach},
    {"define", "([Ljava/lang/String;[IIJ)I", (void *)Java_jfrkit_EventNative_define},
    {"text", "(I)Ljava/lang/String;", (void *)Java_jfrkit_EventNative_text},
    {"commit", "(IJJJ[BI)I", (void *)Java_jfrkit_EventNative_commit},
    {"refused", "(I)I", (void *)Java_jfrkit_EventNative_refused},
    {"cut", "(I)V", (void *)Java_jfrkit_EventNative_cut},
};
