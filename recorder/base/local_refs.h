/*
 * local_refs.h - room for local references behind JVMTI functions that make very many.
 *
 *     if ((*jvmti)->GetLoadedClasses(jvmti, &n, &classes) != JVMTI_ERROR_NONE)
 *         return;
 *     local_refs_more(env, n);
 *
 * -Xcheck:jni counts the references that GetLoadedClasses() and GetAllThreads() make against the
 * room that was requested, although their number is not known before the call. It checks when the
 * next JNI function returns, so this function has to be called next. It makes room beside the
 * references that exist.
 */
#ifndef RECORDER_BASE_LOCAL_REFS_H
#define RECORDER_BASE_LOCAL_REFS_H

#include <jni.h>

#define LOCAL_REFS_MORE 16 /* beside those that there are */
#define LOCAL_REFS_MAX 65536 /* the VM refuses to promise more */

/* There are n new references. For the calling thread, whose environment env is; not for signal
 * handlers. What fails is the check alone: the references exist. */
static inline void local_refs_more(JNIEnv *env, jint n)
{
    jint room = n < LOCAL_REFS_MAX - LOCAL_REFS_MORE ? n + LOCAL_REFS_MORE : LOCAL_REFS_MAX;

    if ((*env)->EnsureLocalCapacity(env, room) != JNI_OK)
        (*env)->ExceptionClear(env);
}

#endif
