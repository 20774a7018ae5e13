/* early.c - lets another agent in as attaching does: before the VM is ready, and when it is.
 *
 *     java -agentpath:early.so=LIBRARY ...      its recording is early.jfr
 */
#include <dlfcn.h>
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>

static JavaVM *the_vm;
static jint (*attach)(JavaVM *vm, char *options, void *reserved);

static void let_in(void)
{
    char options[] = "command=start,file=early.jfr,cpu=1ms,reply=reply";
    FILE *reply = fopen("reply", "r");
    char line[200] = "\n";
    int rc;

    if (reply != NULL)
        fseek(reply, 0, SEEK_END); /* answers are added */
    rc = attach(the_vm, options, NULL);
    if (reply != NULL && fgets(line, sizeof(line), reply) == NULL)
        clearerr(reply); /* no answer */
    printf("early=%d %s", rc, line);
    if (reply != NULL)
        fclose(reply);
}

static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti, (void)env;
    let_in();
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti, (void)env, (void)thread;
    let_in();
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *library, void *reserved)
{
    jvmtiEventCallbacks callbacks = {.VMStart = on_start, .VMInit = on_init};
    void *handle = dlopen(library, RTLD_NOW);
    jvmtiEnv *jvmti;

    (void)reserved;
    the_vm = vm;
    if (handle == NULL || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_0) != JNI_OK)
        return 1;
    *(void **)&attach = dlsym(handle, "Agent_OnAttach");
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_START, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return attach == NULL;
}
