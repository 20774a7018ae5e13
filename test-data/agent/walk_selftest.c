/* The check at start, against VMs that are not what the walker takes them for. */
#include "test-data/agent/walk.h"
#include "recorder/walk/vm_walker_internal.h"

#include <stdio.h>
#include <string.h>

/* Runs the check with the walker's view of the VM changed by `wrong`. */
static void with(const char *name, void (*wrong)(struct vm *), JNIEnv *env)
{
    struct vm right = agent.state->walker.vm;
    char why[200] = "";
    int rc;

    /* What was captured before would be taken from the dictionary. */
    vm_dict_close(&agent.state->walker.dict);
    if (!vm_dict_open(&agent.state->walker.dict))
        return;
    wrong(&agent.state->walker.vm);
    rc = walk_vm_check(agent.state, agent.jvmti, env, why);
    agent.state->walker.vm = right;
    fprintf(stderr, "WALK selftest %s: %s%s\n", name, rc == 0 ? "accepted" : "refused: ", why);
}

static void names_elsewhere(struct vm *vm)
{
    vm->l.method.name = vm->l.method.signature;
}

static void numbers_written_otherwise(struct vm *vm)
{
    vm->number_base ^= 1;
}

static void interpreter_frames_otherwise(struct vm *vm)
{
    vm->slots.bcp++;
}

static void methods_elsewhere(struct vm *vm)
{
    vm->l.method.const_method.at += 8;
}

static void nothing(struct vm *vm)
{
    (void)vm;
}

void check_selftest(JNIEnv *env)
{
    with("names", names_elsewhere, env);
    with("numbers", numbers_written_otherwise, env);
    with("interpreter", interpreter_frames_otherwise, env);
    with("methods", methods_elsewhere, env);
    with("as_it_is", nothing, env);
}
