#include "recorder/events/jvmti_virtual.h"

#include <stdint.h>
#include <string.h>

#define FIRST 50 /* event of the table of callbacks */
#define CAPABILITY_BYTE 5 /* can_support_virtual_threads */
#define CAPABILITY_BIT 16

static bool add_virtual_capability(jvmtiEnv *jvmti)
{
    jvmtiCapabilities have, want;

    memset(&have, 0, sizeof(have));
    memset(&want, 0, sizeof(want));
    ((uint8_t *)&want)[CAPABILITY_BYTE] = CAPABILITY_BIT;
    return (*jvmti)->GetPotentialCapabilities(jvmti, &have) == JVMTI_ERROR_NONE &&
           (((const uint8_t *)&have)[CAPABILITY_BYTE] & CAPABILITY_BIT) != 0 &&
           (*jvmti)->AddCapabilities(jvmti, &want) == JVMTI_ERROR_NONE;
}

jvmtiEnv *jvmti_virtual_new(JavaVM *vm, jvmti_virtual_callback on_start,
                            jvmti_virtual_callback on_end)
{
    jvmti_virtual_callback callbacks[JVMTI_VIRTUAL_END - FIRST + 1] = {NULL};
    jvmtiEnv *jvmti = NULL;

    callbacks[JVMTI_VIRTUAL_START - FIRST] = on_start;
    callbacks[JVMTI_VIRTUAL_END - FIRST] = on_end;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return NULL;
    if (add_virtual_capability(jvmti) &&
        (*jvmti)->SetEventCallbacks(jvmti, (const jvmtiEventCallbacks *)(const void *)callbacks,
                                    sizeof(callbacks)) == JVMTI_ERROR_NONE)
        return jvmti;
    (*jvmti)->DisposeEnvironment(jvmti);
    return NULL;
}

bool jvmti_virtual_notify(jvmtiEnv *jvmti, enum jvmti_virtual_event event, bool is_on)
{
    return (*jvmti)->SetEventNotificationMode(jvmti, is_on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                              (jvmtiEvent)event, NULL) == JVMTI_ERROR_NONE;
}
