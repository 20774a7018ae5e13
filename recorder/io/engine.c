/*
 * engine.c - writes jdk.FileRead, FileWrite, FileForce, SocketRead and SocketWrite.
 *
 * The hooks (hooks.c) make the records on threads of the program; the drain thread calls this
 * engine for each. Calls that the JDK's recorder has no event for are left out (caller.c).
 */
#include "recorder/context/fields.h"
#include "recorder/context/virtual.h"
#include "recorder/io/caller.h"
#include "recorder/io/hooks.h"
#include "recorder/base/log.h"
#include "recorder/events/objects.h"
#include "recorder/settings/settings.h"

#include <string.h>

static const enum event events[IO_N_KINDS] = {
    [IO_FILE_READ] = EV_FILE_READ,       [IO_FILE_WRITE] = EV_FILE_WRITE,
    [IO_FILE_FORCE] = EV_FILE_FORCE,     [IO_SOCKET_READ] = EV_SOCKET_READ,
    [IO_SOCKET_WRITE] = EV_SOCKET_WRITE,
};

static size_t file_n; /* bytes of `file`, the recording's own path, which has no events */
static const char *file;

static int start(struct recording *r)
{
    bool is_wanted = false;

    for (int k = 0; k < IO_N_KINDS; k++)
        is_wanted |= settings_of(r->settings, events[k])->is_enabled;
    if (!is_wanted)
        return 1;
    if (io_hooks_install(r->vm, r->env) <= 0) {
        log_line(LOG_WARNING, "no file and socket events: the JDK's natives cannot be intercepted");
        return -1;
    }
    file = r->file;
    file_n = strlen(file);
    io_caller_start(r->env);
    for (int k = 0; k < IO_N_KINDS; k++)
        io_hooks_set((enum io_kind)k, settings_of(r->settings, events[k]));
    return 0;
}

static void stop(struct recording *r)
{
    (void)r;
    for (int k = 0; k < IO_N_KINDS; k++)
        io_hooks_set((enum io_kind)k, NULL);
}

/* A host without a name has its address as name, as the JDK writes it; up to JDK 20 channels have
 * no name. The JDK also resolves the peers of streams by DNS, which we do not. */
static void put_peer(struct jfr_writer *w, const char *text, size_t n, const struct io_call *call,
                     enum io_caller caller)
{
    size_t n_address = n - call->n_host;

    if (n > 0 && text[0] == '[')
        jfr_put_string(w, "Unix domain socket");
    else if (call->n_host > 0)
        jfr_put_text(w, text + n_address, call->n_host);
    else if (n > 0 && caller == IO_CALLER_CHANNEL && io_caller_is_old())
        jfr_put_string(w, "");
    else
        jfr_put_text(w, text, n);
    jfr_put_text(w, text, n_address);
    jfr_put_int(w, call->port);
}

static void put_io_fields(struct jfr_writer *w, enum io_kind kind, const char *text, size_t n,
                          const struct io_call *call, enum io_caller caller)
{
    if (kind == IO_SOCKET_READ || kind == IO_SOCKET_WRITE)
        put_peer(w, text, n, call, caller);
    else
        jfr_put_text(w, text, n);
    if (kind == IO_SOCKET_READ)
        jfr_put_long(w, call->timeout_ms);
    if (kind != IO_FILE_FORCE)
        jfr_put_long(w, call->bytes);
    if (kind != IO_FILE_WRITE && kind != IO_SOCKET_WRITE)
        jfr_put_boolean(w, call->is_end);
}

static void write(struct recording *r, const struct record *rec)
{
    enum io_kind kind = rec->kind;
    const char *text = (const char *)record_data(rec) + sizeof(struct io_call);
    size_t n = rec->n_data - sizeof(struct io_call);
    uint64_t thread, stack;
    enum io_caller caller;
    struct io_call call;
    uint32_t skip;

    memcpy(&call, record_data(rec), sizeof(call));
    if (kind <= IO_FILE_FORCE && n == file_n && memcmp(text, file, n) == 0)
        return;
    caller = io_caller_of(r, rec, kind, &skip);
    if (caller == IO_CALLER_NONE || (call.is_vain && caller != IO_CALLER_CHANNEL))
        return;
    thread = context_thread(r, rec);
    stack =
        settings_of(r->settings, events[kind])->with_stack ? drain_stack_below(r, rec, skip) : 0;
    jfr_event_begin(r->writer, r->types[events[kind]], rec->ticks);
    jfr_put_long(r->writer, rec->duration);
    jfr_put_key(r->writer, thread);
    jfr_put_key(r->writer, stack);
    put_io_fields(r->writer, kind, call.has_text ? text : NULL, n, &call, caller);
    context_event_end(r, events[kind], rec);
}

struct engine engine_io = {
    .name = "io",
    .start = start,
    .write = write,
    .stop = stop,
};
