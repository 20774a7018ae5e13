"""Builds the module _jfr for jfr.py: python3 jfr_build.py. Needs cffi, a C compiler, and libjfr with its headers (pkg-config
finds them by jfrkit.pc)."""
import subprocess

from cffi import FFI

ffi = FFI()
ffi.cdef("""
struct jfr_error { int code; char text[200]; ...; };
struct jfr_cursor { const uint8_t *p; ...; };
enum jfr_kind { JFR_STRUCT, JFR_BOOLEAN, JFR_BYTE, JFR_CHAR, JFR_SHORT, JFR_INT, JFR_LONG, JFR_FLOAT, JFR_DOUBLE, JFR_STRING, ... };
enum jfr_unit { JFR_UNIT_NONE, JFR_UNIT_TIMESTAMP_TICKS, JFR_UNIT_TIMESTAMP_MS, JFR_UNIT_TIMESTAMP_NS, JFR_UNIT_TIMESTAMP_S,
    JFR_UNIT_TICKS, JFR_UNIT_NS, JFR_UNIT_US, JFR_UNIT_MS, JFR_UNIT_S, ... };
struct jfr_class { const char *name, *label; const struct jfr_field *fields; size_t n_fields; uint32_t index;
    enum jfr_kind kind; bool is_event, is_simple; ...; };
struct jfr_field { const char *name; const struct jfr_class *type; enum jfr_unit unit; bool is_pooled, is_array, is_unsigned; ...; };
struct jfr_event { const struct jfr_class *type; struct jfr_cursor body; ...; };
struct jfr_str { ...; };
struct jfr_thread { struct jfr_str os_name, java_name; int64_t os_id, java_id; ...; };
struct jfr_frame { uint64_t method_key; int32_t line; ...; };
struct jfr_method { struct jfr_str class_name, name; ...; };
struct jfr_stacks { const struct jfr_pool *traces; ...; };
struct jfr_frames { ...; };
union jfr_value { int64_t i; uint64_t key; double f; const uint8_t *at; };
struct jfr_buf { uint8_t *p; size_t n; ...; };
struct jfr_chunk_header { uint32_t index; ...; };
struct jfr_chunk; struct jfr_reader; struct jfr_plan; struct jfr_pool;

struct jfr_reader *jfr_reader_open(const char *path, struct jfr_error *err);
int jfr_reader_next(struct jfr_reader *r, struct jfr_event *ev);
struct jfr_chunk *jfr_reader_chunk(struct jfr_reader *r);
const struct jfr_error *jfr_reader_error(const struct jfr_reader *r);
void jfr_reader_close(struct jfr_reader *r);
const struct jfr_chunk_header *jfr_chunk_header(const struct jfr_chunk *chunk);
struct jfr_str jfr_chunk_resolve(struct jfr_chunk *chunk, struct jfr_str s);
int64_t jfr_epoch_ns(const struct jfr_chunk_header *h, int64_t ticks);
int64_t jfr_span_ns(const struct jfr_chunk_header *h, int64_t ticks);
const struct jfr_plan *jfr_plan_new(struct jfr_chunk *chunk, const struct jfr_class *cls, const char *const *paths, size_t n);
int jfr_plan_run(const struct jfr_plan *plan, struct jfr_cursor body, union jfr_value *out, const uint8_t **where);
struct jfr_str jfr_str_read(struct jfr_cursor *c);
void jfr_str_append_utf8(struct jfr_buf *b, struct jfr_str s);
struct jfr_buf jfr_buf_fixed(void *room, size_t n);
bool jfr_str_is_null(struct jfr_str s);
struct jfr_str jfr_class_name(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key);
struct jfr_str jfr_simple_text(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key);
bool jfr_thread_get(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key, struct jfr_thread *t);
int jfr_stacks_init(struct jfr_stacks *st, struct jfr_chunk *chunk, const struct jfr_field *field);
int64_t jfr_pool_find(const struct jfr_pool *pool, uint64_t key);
int jfr_stacks_open(const struct jfr_stacks *st, size_t index, struct jfr_frames *it);
bool jfr_frames_next(struct jfr_frames *it, struct jfr_frame *frame);
bool jfr_method_get(const struct jfr_stacks *st, uint64_t key, struct jfr_method *m);
#define JFR_E_IO ...
#define JFR_E_NOMEM ...
""")


def flags(what):
    return subprocess.run(["pkg-config", what, "jfrkit"], capture_output=True, text=True, check=True).stdout.split()


ffi.set_source("_jfr", "#include <jfrfmt/jfr.h>", extra_compile_args=flags("--cflags"), extra_link_args=flags("--libs"))

if __name__ == "__main__":
    ffi.compile()
