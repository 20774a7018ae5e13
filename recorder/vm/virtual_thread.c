/*
 * virtual_thread.c - reads the virtual thread that a thread runs, its id and its name, from the
 * heap without JNI.
 *
 * Signal handlers call it. A collector may move the object meanwhile; the class of the object is
 * checked, and a wrong length or address gives no name.
 */
#include "recorder/vm/virtual_thread.h"

#include <string.h>

enum {
    CLASS_SHIFT = 42, /* of compact headers, in the mark */
    MAX_NAME = 1 << 16, /* bytes that a string of a name may have */
    CHUNK = 256
};

/* Where the elements of a byte[] begin: a constant of the JDK, whose type has changed. */
static int32_t bytes_offset(JNIEnv *env)
{
    static const char name[] = "ARRAY_BYTE_BASE_OFFSET";
    jclass c = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    jfieldID id = c == NULL ? NULL : (*env)->GetStaticFieldID(env, c, name, "I");
    int64_t offset = 0;

    if (id != NULL) {
        offset = (*env)->GetStaticIntField(env, c, id);
    } else if (c != NULL) {
        (*env)->ExceptionClear(env);
        id = (*env)->GetStaticFieldID(env, c, name, "J");
        offset = id == NULL ? 0 : (*env)->GetStaticLongField(env, c, id);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, c);
    return offset >= 12 && offset <= 32 ? (int32_t)offset : 0;
}

void vm_virtual_open(struct vm_virtual *v, const struct vm *vm, JNIEnv *env)
{
    static const int32_t length_at[] = {
        [HEADER_WIDE] = 16, [HEADER_NARROW] = 12, [HEADER_COMPACT] = 8};
    jclass thread, string;

    memset(v, 0, sizeof *v);
    if (vm->major < 21 || vm->l.thread.object.at < 0 || vm->l.thread.vthread.at < 0)
        return;
    v->header = vm_flag(vm, "UseCompactObjectHeaders", 0)      ? HEADER_COMPACT
                : vm_flag(vm, "UseCompressedClassPointers", 1) ? HEADER_NARROW
                                                               : HEADER_WIDE;
    v->length = length_at[v->header];
    v->bytes = bytes_offset(env);
    thread = (*env)->FindClass(env, "java/lang/Thread");
    string = (*env)->FindClass(env, "java/lang/String");
    v->is_known = v->bytes >= v->length + 4 && thread != NULL && string != NULL &&
                  vm_java_field(env, thread, "tid", "J", &v->id) &&
                  vm_java_field(env, thread, "name", "Ljava/lang/String;", &v->name) &&
                  vm_java_field(env, string, "value", "[B", &v->value) &&
                  vm_java_field(env, string, "coder", "B", &v->coder);
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, thread);
    (*env)->DeleteLocalRef(env, string);
}

static uint64_t class_word(const struct vm_virtual *v, uintptr_t object)
{
    uint64_t word = 0;
    uint32_t half = 0;

    if (v->header == HEADER_COMPACT)
        return safe_load64(object, &word) ? word >> CLASS_SHIFT : 0;
    if (v->header == HEADER_NARROW)
        return safe_load32(object + 8, &half) ? half : 0;
    return safe_load64(object + 8, &word) ? word : 0;
}

/* Whether the object is what it seems. While nothing can move it its class becomes known. */
static bool is_sure_object(struct vm_virtual *v, const struct vm *vm, uintptr_t thread,
                           uintptr_t object)
{
    uint64_t have = class_word(v, object),
             want = atomic_load_explicit(&v->class_word, memory_order_relaxed);
    int32_t state;

    if (have == 0 || !vm_load_int(thread, vm->l.thread.state, &state))
        return false;
    if (want == 0 && (state == VM_IN_JAVA || state == VM_IN_VM))
        atomic_store_explicit(&v->class_word, have, memory_order_relaxed);
    return want == 0 || want == have;
}

uint64_t vm_virtual_id(struct vm_virtual *v, const struct vm *vm, uintptr_t thread,
                       uintptr_t *object)
{
    uintptr_t own;
    uint64_t id;

    if (!v->is_known || !vm_load_handle(vm, thread, vm->l.thread.vthread, object) || *object == 0 ||
        !vm_load_handle(vm, thread, vm->l.thread.object, &own) || *object == own ||
        (*object & 7) != 0 || !is_sure_object(v, vm, thread, *object) ||
        !safe_load64(*object + (uintptr_t)v->id, &id))
        return 0;
    return id < UINT64_C(1) << 62 ? id : 0;
}

/* Bytes of a char in modified UTF-8, written to out. */
static size_t encode_char(uint16_t c, char out[3])
{
    if (c != 0 && c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3f));
    out[2] = (char)(0x80 | (c & 0x3f));
    return 3;
}

void vm_virtual_name(const struct vm_virtual *v, const struct vm *vm, uintptr_t object, char *out,
                     size_t room)
{
    uint8_t text[CHUNK], coder;
    uintptr_t name, value;
    uint32_t length;
    char utf8[3];
    size_t n, at = 0;

    out[0] = '\0';
    if (!vm_load_oop(vm, object + (uintptr_t)v->name, &name) || name == 0 || (name & 7) != 0 ||
        !vm_load_oop(vm, name + (uintptr_t)v->value, &value) || value == 0 || (value & 7) != 0 ||
        !safe_load8(name + (uintptr_t)v->coder, &coder) || coder > 1 ||
        !safe_load32(value + (uintptr_t)v->length, &length) || length > MAX_NAME)
        return;
    n = length < CHUNK ? length : CHUNK;
    if (safe_copy(text, value + (uintptr_t)v->bytes, n) != n)
        return;
    for (size_t i = 0; i + coder < n; i += 1u + coder) {
        uint16_t c = text[i];
        size_t size;

        if (coder == 1)
            memcpy(&c, text + i, sizeof c);
        size = encode_char(c, utf8);
        if (at + size >= room)
            break;
        memcpy(out + at, utf8, size);
        at += size;
    }
    out[at] = '\0';
}
