/* Tables from dumps of two releases, and of every JVM that is installed. */
#include "recorder/vm/layout.h"
#include "recorder/vm/tables.h"
#include "jfrfmt/test/testing.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_ENTRIES = 4096,
    WORDS = 6
};

/* A table as it is in memory: entries of six words. */
struct image {
    uint64_t words[MAX_ENTRIES][WORDS];
    size_t n;
};

/* What a dump says, in the form that libjvm exports. */
struct dump {
    struct image structs, types, ints, longs;
    char *text;
    const char *leave_out; /* a line that begins so is not there */
};

static const uint64_t stride = WORDS * 8, offsets[WORDS] = {0, 8, 16, 24, 32, 40};

static const void *dump_symbol(void *from, const char *name)
{
    static const char *const members[] = {"TypeNameOffset", "FieldNameOffset", "TypeStringOffset",
                                          "IsStaticOffset", "OffsetOffset",    "AddressOffset"};
    static const void *first;
    struct dump *d = from;
    const char *end;

    first = strcmp(name, "gHotSpotVMStructs") == 0         ? &d->structs
            : strcmp(name, "gHotSpotVMTypes") == 0         ? &d->types
            : strcmp(name, "gHotSpotVMIntConstants") == 0  ? &d->ints
            : strcmp(name, "gHotSpotVMLongConstants") == 0 ? &d->longs
                                                           : NULL;
    if (first != NULL)
        return &first;
    end = strstr(name, "Entry");
    end = end != NULL ? end + strlen("Entry") : name;
    if (strcmp(end, "ArrayStride") == 0)
        return &stride;
    if (strcmp(end, "NameOffset") == 0)
        return &offsets[0];
    if (strcmp(end, "ValueOffset") == 0 || strcmp(end, "SizeOffset") == 0)
        return &offsets[1];
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(end, members[i]) == 0)
            return &offsets[i];
    return NULL;
}

static uint64_t *add(struct image *t)
{
    assert_true(t->n + 1 < MAX_ENTRIES);
    return t->words[t->n++];
}

static void add_line(struct dump *d, char *line)
{
    char *field[8] = {0};
    uint64_t *w;

    for (size_t i = 0; i < 8 && line != NULL; i++)
        field[i] = strsep(&line, "|");
    switch (field[0][0]) {
    case 'S':
        w = add(&d->structs);
        w[0] = (uintptr_t)field[1];
        w[1] = (uintptr_t)field[2];
        w[2] = (uintptr_t)field[3];
        w[3] = strtoull(field[4], NULL, 10);
        w[4] = strtoull(field[5], NULL, 10);
        w[5] = w[3] ? (uintptr_t)field[1] : 0; /* any address: the static itself is not there */
        break;
    case 'T':
        w = add(&d->types);
        w[0] = (uintptr_t)field[1];
        w[1] = strtoull(field[6], NULL, 10);
        break;
    default:
        w = add(field[0][0] == 'I' ? &d->ints : &d->longs);
        w[0] = (uintptr_t)field[1];
        w[1] = strtoull(field[2], NULL, 0);
    }
}

static struct dump *read_dump(const char *name, const char *leave_out)
{
    struct dump *d = calloc(1, sizeof *d);
    char path[200], *rest;
    FILE *file;
    size_t n;

    snprintf(path, sizeof path, "test-data/vmstructs/%s", name);
    file = fopen(path, "r");
    assert_non_null(file);
    d->text = calloc(1, 1 << 20);
    n = fread(d->text, 1, (1 << 20) - 1, file);
    assert_in_range(n, 1000, (1 << 20) - 2);
    fclose(file);
    rest = d->text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '#' && line[0] != '\0' &&
            (leave_out == NULL || strncmp(line, leave_out, strlen(leave_out)) != 0))
            add_line(d, line);
    return d;
}

static void free_dump(struct dump *d)
{
    free(d->text);
    free(d);
}

struct row {
    const char *name, *dump, *leave_out, *why; /* why: what is missing; NULL: nothing */
    int32_t osthread, level_size, complete_size, code_size_at;
    int32_t code_begin, kind, mutable_data, cont_entry, low_flags_size;
};

/* clang-format off */
static const struct row rows[] = {
    {"JDK 17", "jdk17.txt", NULL, NULL, 560, 4, 4, 32, 32, -1, -1, -1, 2},
    {"JDK 25", "jdk25.txt", NULL, NULL, 1016, 1, 2, 34, -1, 56, 16, 1560, 4},
    {"optional fields may be missing", "jdk25.txt", "S|JavaThread|_cont_entry", NULL,
     1016, 1, 2, 34, -1, 56, 16, -1, 4},
    {"one without which nothing works", "jdk25.txt", "S|Method|_constMethod",
     "the VM's tables have no Method._constMethod", 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"neither of two ways", "jdk25.txt", "S|nmethod|_verified_entry_offset",
     "the VM's tables have no nmethod._verified_entry_point", 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"a static", "jdk17.txt", "S|StubRoutines|_call_stub_return_address",
     "the VM's tables have no StubRoutines._call_stub_return_address", 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"a size", "jdk17.txt", "T|ConstMethod|", "the VM's tables have no ConstMethod",
     0, 0, 0, 0, 0, 0, 0, 0, 0},
};
/* clang-format on */

static void dumps(void **state)
{
    const struct row *t = *state;
    struct dump *d = read_dump(t->dump, t->leave_out);
    struct vm_tables tables;
    struct vm_layout l;
    char why[200] = "";

    assert_true(vm_tables_open(&tables, dump_symbol, d));
    if (t->why != NULL) {
        assert_true(vm_layout_read(&l, &tables, why) < 0);
        assert_string_equal(why, t->why);
    } else {
        assert_int_equal(vm_layout_read(&l, &tables, why), 0);
        assert_int_equal(l.thread.osthread.at, t->osthread);
        assert_int_equal(l.nmethod.level.size, t->level_size);
        assert_int_equal(l.blob.frame_complete.size, t->complete_size);
        assert_int_equal(l.method.code_size.at, t->code_size_at);
        assert_int_equal(l.blob.code_begin.at, t->code_begin);
        assert_int_equal(l.blob.kind.at, t->kind);
        assert_int_equal(l.blob.mutable_data.at, t->mutable_data);
        assert_int_equal(l.thread.cont_entry.at, t->cont_entry);
        assert_int_equal(l.method.flags.size, t->low_flags_size);
        assert_int_equal(l.nmethod.pc_size, 16);
        assert_int_equal(l.thread.wrapper_slot, VM_WRAPPER_SLOT);
        assert_int_equal(l.method.has_generic, 16);
    }
    free_dump(d);
}

static void what_is_not_there_is_said_so(void **state)
{
    struct dump *d = read_dump("jdk17.txt", NULL);
    struct vm_tables tables;
    struct vm_field f;

    (void)state;
    assert_true(vm_tables_open(&tables, dump_symbol, d));
    assert_false(vm_field(&tables, "Method", "_no_such_field", &f));
    assert_int_equal(f.offset, -1);
    assert_int_equal(f.address, 0);
    assert_true(vm_field(&tables, "CodeCache", "_heaps", &f));
    assert_true(f.address != 0 && f.offset == -1);
    assert_int_equal(vm_type_size(&tables, "NoSuchType"), 0);
    assert_int_equal(vm_type_size(&tables, "ConstMethod"), 48);
    assert_int_equal(vm_constant(&tables, "_thread_in_Java", -1), 8);
    assert_int_equal(vm_constant(&tables, "no_such_constant", -7), -7);
    free_dump(d);
}

static const void *nothing(void *from, const char *name)
{
    (void)from;
    (void)name;
    return NULL;
}

static void another_vm_has_no_tables(void **state)
{
    struct vm_tables tables;

    (void)state;
    assert_false(vm_tables_open(&tables, nothing, NULL));
}

static const void *library_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

/* The tables are constants of the library: no VM has to run. */
static void every_jvm_here_is_understood(void **state)
{
    struct vm_tables tables;
    struct vm_layout l;
    char why[200] = "";
    glob_t found;
    void *library;

    (void)state;
    if (glob("/usr/lib/jvm/*/lib/server/libjvm.so", 0, NULL, &found) != 0) {
        print_message("skip every_jvm_here_is_understood: no libjvm.so under /usr/lib/jvm\n");
        skip();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
        assert_non_null(library);
        assert_true(vm_tables_open(&tables, library_symbol, library));
        assert_int_equal(vm_layout_read(&l, &tables, why), 0);
        assert_string_equal(why, "");
        assert_true(l.thread.last_fp.at >= 0);
        assert_true(l.vm.flags != 0 && l.vm.flag_size != 0);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_said_so),
        cmocka_unit_test(another_vm_has_no_tables),
        cmocka_unit_test(every_jvm_here_is_understood),
    };
    int failed = run_rows("vm_tables: dumps", rows, dumps);

    return failed + cmocka_run_group_tests_name("vm_tables", tests, NULL, NULL);
}
