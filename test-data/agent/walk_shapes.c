/* Prints the caller's frames as "name:kind:level" each, for stacks whose shape is forced. */
#include "test-data/agent/walk.h"

#include <stdio.h>

JNIEXPORT jint JNICALL Java_WalkShapes_shape(JNIEnv *env, jclass cls)
{
    static const char *const kinds[] = {
        [FRAME_INTERPRETED] = "interpreted",
        [FRAME_COMPILED] = "compiled",
        [FRAME_INLINED] = "inlined",
        [FRAME_NATIVE_METHOD] = "native",
        [FRAME_STUB] = "stub",
        [FRAME_C] = "c",
        [FRAME_VM] = "vm",
        [FRAME_CONTINUATION] = "continuation",
    };
    bool is_java;
    uintptr_t thread = vm_thread_current(&agent.state->threads, &is_java);
    const struct vm_entry *e;
    struct vm_frame f;
    struct vm_walk w;

    (void)env;
    (void)cls;
    fprintf(stderr, "WALK shape");
    vm_walk_anchor(&w, &agent.state->walker, thread, 0);
    while (vm_walk_next(&w, &f)) {
        e = vm_dict_get(&agent.state->walker.dict, f.id);
        fprintf(stderr, " %.*s:%s:%d", e != NULL ? (int)e->name_n : 1,
                e != NULL ? e->text + e->cls_n : "?", kinds[f.kind], f.level);
    }
    fprintf(stderr, "\n");
    return 0;
}
