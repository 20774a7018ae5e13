/* shutdown.c - jdk.Shutdown, with the reason why the JVM ends: a call of Shutdown.halt0 (from
 * System.exit, Runtime.halt or a signal), or the end of its last thread (VMDeath without such a
 * call). */
#include "recorder/engine/engines.h"

#include "recorder/context/fields.h"
#include "recorder/capture/emit.h"
#include "recorder/settings/jdk_types.h"
#include "recorder/base/native_hook.h"
#include "recorder/settings/settings.h"

enum kind {
    REQUESTED,
    NOBODY_LEFT
};

static const char *const reasons[] = {
    [REQUESTED] = "Shutdown requested from Java",
    [NOBODY_LEFT] = "No remaining non-daemon Java threads",
};

static _Atomic bool is_on, with_stack, is_reported;

static void JNICALL hook_halt(JNIEnv *env, jclass cls, jint status);

static struct native_hook hooks[] = {
    {"java/lang/Shutdown", "halt0", "(I)V", (void *)(uintptr_t)hook_halt},
};

static void emit_shutdown(enum kind kind)
{
    if (!atomic_load(&is_on) || !emit_wanted() || atomic_exchange(&is_reported, true))
        return;
    emit(&(struct emit){
        .engine = &engine_shutdown, .kind = (uint8_t)kind, .with_stack = atomic_load(&with_stack)});
}

static void JNICALL hook_halt(JNIEnv *env, jclass cls, jint status)
{
    void (*original)(JNIEnv *, jclass, jint);

    *(void **)&original = native_hook_original(&hooks[0]);
    emit_shutdown(REQUESTED);
    original(env, cls, status);
}

void engine_shutdown_vm_death(void)
{
    emit_shutdown(NOBODY_LEFT);
}

static int start(struct recording *r)
{
    const struct event_settings *s = settings_of(r->settings, EV_SHUTDOWN);

    if (!s->is_enabled)
        return 1;
    native_hook_install(r->vm, r->env, hooks, 1);
    atomic_store(&with_stack, s->with_stack);
    atomic_store(&is_reported, false);
    atomic_store(&is_on, true);
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    atomic_store(&is_on, false);
}

static void write(struct recording *r, const struct record *rec)
{
    uint64_t thread = drain_thread(r, rec), stack = drain_stack(r, rec);

    jfr_event_begin(r->writer, r->types[EV_SHUTDOWN], rec->ticks);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    jfr_put_string(r->writer, reasons[rec->kind]);
    context_event_end(r, EV_SHUTDOWN, rec);
}

struct engine engine_shutdown = {
    .name = "shutdown",
    .start = start,
    .write = write,
    .stop = stop,
};
