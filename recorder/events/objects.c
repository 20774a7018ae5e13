/*
 * objects.c - reads fields of Java objects through JNI and JVMTI: ids and names of threads,
 * signatures of classes, park blockers.
 *
 * Engines call it on the thread that an event happens on. It clears exceptions that it causes.
 */
#include "recorder/events/objects.h"

#include "recorder/capture/virtual_names.h"

#include <stdio.h>
#include <string.h>

#define JNI_21 0x00150000
#define IS_VIRTUAL_THREAD 234 /* place in the table of JNI functions, since 21 */
#define BYTES_OF_CHAR 3 /* in modified UTF-8, of one of UTF-16, at most */

static jfieldID field_tid, field_blocker, field_name;
static jboolean(JNICALL *is_virtual)(JNIEnv *, jobject);

jfieldID objects_field(JNIEnv *env, const char *cls, const char *name, const char *signature)
{
    jclass c = (*env)->FindClass(env, cls);
    jfieldID id = c == NULL ? NULL : (*env)->GetFieldID(env, c, name, signature);

    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, c);
    return id;
}

void objects_init(JNIEnv *env)
{
    static const char thread[] = "java/lang/Thread";

    if (field_tid != NULL)
        return; /* attached before */
    field_tid = objects_field(env, thread, "tid", "J");
    field_blocker = objects_field(env, thread, "parkBlocker", "Ljava/lang/Object;");
    field_name = objects_field(env, thread, "name", "Ljava/lang/String;");
    if ((*env)->GetVersion(env) >= JNI_21)
        *(void **)&is_virtual = ((void *const *)*env)[IS_VIRTUAL_THREAD];
}

size_t objects_signature(jvmtiEnv *jvmti, jclass cls, char out[OBJECTS_TEXT])
{
    char *signature;

    out[0] = '\0';
    if (cls == NULL || (*jvmti)->GetClassSignature(jvmti, cls, &signature, NULL) != 0)
        return 0;
    snprintf(out, OBJECTS_TEXT, "%s", signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return strlen(out);
}

size_t objects_class(jvmtiEnv *jvmti, JNIEnv *env, jobject object, char out[OBJECTS_TEXT])
{
    jclass cls = object == NULL ? NULL : (*env)->GetObjectClass(env, object);
    size_t n = objects_signature(jvmti, cls, out);

    (*env)->DeleteLocalRef(env, cls);
    return n;
}

int64_t objects_identity(jvmtiEnv *jvmti, jobject object)
{
    jint hash = 0;

    if (object == NULL || (*jvmti)->GetObjectHashCode(jvmti, object, &hash) != 0)
        return 0;
    return hash;
}

int64_t objects_thread_id(JNIEnv *env, jthread thread)
{
    return thread == NULL || field_tid == NULL ? 0 : (*env)->GetLongField(env, thread, field_tid);
}

size_t objects_thread_name(JNIEnv *env, jthread thread, char *out, size_t room)
{
    jstring name = thread == NULL || field_name == NULL
                       ? NULL
                       : (*env)->GetObjectField(env, thread, field_name);
    size_t n = name == NULL ? 0 : (size_t)(*env)->GetStringUTFLength(env, name);
    jsize n_chars = n == 0 ? 0 : (*env)->GetStringLength(env, name);

    memset(out, 0, n < room ? n + 1 : room);
    if (n >= room && n_chars > (jsize)((room - 1) / BYTES_OF_CHAR))
        n_chars = (jsize)((room - 1) / BYTES_OF_CHAR);
    if (n_chars > 0)
        (*env)->GetStringUTFRegion(env, name, 0, n_chars, out);
    (*env)->DeleteLocalRef(env, name);
    return n;
}

bool objects_is_virtual(JNIEnv *env, jthread thread)
{
    return thread != NULL && is_virtual != NULL && is_virtual(env, thread);
}

/* The name has to be stored before the first event of the thread is written, which writes the name.
 */
uint64_t objects_virtual_key(JNIEnv *env, jthread thread)
{
    char name[OBJECTS_NAME];
    uint64_t id;

    if (!objects_is_virtual(env, thread))
        return 0;
    id = (uint64_t)objects_thread_id(env, thread);
    if (!virtual_names_has(id)) {
        objects_thread_name(env, thread, name, sizeof(name));
        virtual_names_put(id, name);
    }
    return id;
}

jobject objects_park_blocker(JNIEnv *env, jthread thread)
{
    return thread == NULL || field_blocker == NULL
               ? NULL
               : (*env)->GetObjectField(env, thread, field_blocker);
}
