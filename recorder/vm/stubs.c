/*
 * stubs.c - the names of the routines in HotSpot's stub blobs, from JVMTI's DynamicCodeGenerated
 * events.
 *
 * The events are requested once, when the walker is opened, and sorted by address. Signal
 * handlers then only search.
 */
#include "recorder/vm/stubs.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Events carry no argument of ours, so the table being filled is found here. */
static struct {
    pthread_mutex_t lock;
    struct vm_stub *stubs;
    size_t n, room;
    char *names; /* stub.name is an offset until all are there */
    size_t names_n, names_room;
    bool failed;
} filling = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void JNICALL on_code(jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
    size_t n = strlen(name) + 1;

    (void)jvmti;
    pthread_mutex_lock(&filling.lock);
    if (!array_reserve(&filling.stubs, &filling.room, filling.n + 1, sizeof *filling.stubs) ||
        !array_reserve(&filling.names, &filling.names_room, filling.names_n + n, 1)) {
        filling.failed = true;
    } else {
        memcpy(filling.names + filling.names_n, name, n);
        filling.stubs[filling.n++] =
            (struct vm_stub){(uintptr_t)address, (uintptr_t)address + (uintptr_t)length,
                             (const char *)(uintptr_t)filling.names_n};
        filling.names_n += n;
    }
    pthread_mutex_unlock(&filling.lock);
}

static int by_low(const void *a, const void *b)
{
    const struct vm_stub *x = a, *y = b;

    return x->low != y->low ? (x->low > y->low ? 1 : -1)
                            : (x->high > y->high) - (x->high < y->high);
}

static void take_over(struct vm_stubs *s)
{
    pthread_mutex_lock(&filling.lock);
    s->stubs = filling.stubs;
    s->names = filling.names;
    s->n = filling.failed ? 0 : (uint32_t)filling.n;
    filling.stubs = NULL;
    filling.names = NULL;
    filling.n = filling.room = filling.names_n = filling.names_room = 0;
    filling.failed = false;
    pthread_mutex_unlock(&filling.lock);
    for (uint32_t i = 0; i < s->n; i++)
        s->stubs[i].name = s->names + (uintptr_t)s->stubs[i].name;
    if (s->n > 0)
        qsort(s->stubs, s->n, sizeof *s->stubs, by_low);
}

bool vm_stubs_open(struct vm_stubs *s, JavaVM *vm)
{
    jvmtiEventCallbacks callbacks = {.DynamicCodeGenerated = on_code};
    jvmtiEnv *jvmti = NULL;

    memset(s, 0, sizeof *s);
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return false;
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof callbacks) == 0 &&
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
                                           NULL) == 0)
        (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (*jvmti)->DisposeEnvironment(jvmti);
    take_over(s);
    return s->n > 0;
}

void vm_stubs_close(struct vm_stubs *s)
{
    free(s->stubs);
    free(s->names);
    memset(s, 0, sizeof *s);
}

const struct vm_stub *vm_stubs_find(const struct vm_stubs *s, uintptr_t pc)
{
    size_t behind = SORTED_FIRST(s->n, i, s->stubs[i].low > pc);

    /* Entries of one routine may nest in a larger one: look a few back. */
    for (int back = 0; behind > 0 && back < 4; back++, behind--)
        if (pc < s->stubs[behind - 1].high)
            return &s->stubs[behind - 1];
    return NULL;
}

const struct vm_stub *vm_stubs_named(const struct vm_stubs *s, const char *name)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (strcmp(s->stubs[i].name, name) == 0)
            return &s->stubs[i];
    return NULL;
}
