/* Executable mappings: as the kernel tells them, as the loader tells them, while they come and go.
 */
#include "recorder/native/libs.h"
#include "recorder/native/cfi_table.h"
#include "recorder/native/lib_file.h"
#include "recorder/native/libs_maps.h"
#include "recorder/native/symbols.h"
#include "jfrfmt/test/testing.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

struct row {
    const char *name, *maps;
    int n; /* files */
    uintptr_t lo, hi, base; /* of the first */
    uint64_t offset;
    const char *path;
    bool is_deleted;
};

/* clang-format off */
static const struct row rows[] = {
    {"one library", "1000-2000 r--p 00000000 08:01 5 /a b.so\n2000-3000 r-xp 00001000 08:01 5 /a b.so\n", 1, 0x2000, 0x3000, 0x1000, 0x1000, "/a b.so", false},
    {"code split by mprotect", "1000-2000 r-xp 00000000 08:01 5 /a\n2000-3000 rwxp 00001000 08:01 5 /a\n3000-4000 r-xp 00002000 08:01 5 /a\n", 1, 0x1000, 0x4000, 0x1000, 0, "/a", false},
    {"deleted", "2000-3000 r-xp 00001000 08:01 5 /a (deleted)\n", 1, 0x2000, 0x3000, 0, 0x1000, "/a", true},
    {"newline in a name", "2000-3000 r-xp 00000000 08:01 5 /a\\012b\n", 1, 0x2000, 0x3000, 0x2000, 0, "/a\nb", false},
    {"vdso", "7000-8000 r-xp 00000000 00:00 0 [vdso]\n", 1, 0x7000, 0x8000, 0x7000, 0, "[vdso]", false},
    {"generated code is nobody's", "7000-8000 rwxp 00000000 00:00 0 \n", 0, 0, 0, 0, 0, NULL, false},
    {"data only", "7000-8000 rw-p 00000000 08:01 5 /a\n", 0, 0, 0, 0, 0, NULL, false},
    {"other brackets", "7000-8000 r-xp 00000000 00:00 0 [vsyscall]\n", 0, 0, 0, 0, 0, NULL, false},
    {"not a line of maps", "hello\n\n1000 2000\n9000-8000 r-xp 00000000 08:01 5 /a\n", 0, 0, 0, 0, 0, NULL, false},
    {"two mappings of one file at other places", "1000-2000 r-xp 00000000 08:01 5 /a\n9000-a000 r-xp 00005000 08:01 5 /a\n", 2, 0x1000, 0x2000, 0x1000, 0, "/a", false},
    {"no end of line", "2000-3000 r-xp 00000000 08:01 5 /a", 1, 0x2000, 0x3000, 0x2000, 0, "/a", false},
};
/* clang-format on */

static void maps(void **state)
{
    const struct row *t = *state;
    FILE *f = fmemopen((void *)(uintptr_t)t->maps, strlen(t->maps), "r");
    struct mapped_file *files = NULL;
    uint64_t lost = 0;
    int n = libs_maps_parse(f, &files, 100, &lost);

    fclose(f);
    assert_int_equal(n, t->n);
    assert_int_equal(lost, 0);
    if (n > 0) {
        assert_int_equal(files[0].lo, t->lo);
        assert_int_equal(files[0].hi, t->hi);
        assert_int_equal(files[0].base, t->base);
        assert_int_equal(files[0].offset, t->offset);
        assert_string_equal(files[0].path, t->path);
        assert_int_equal(files[0].is_deleted, t->is_deleted);
    }
    libs_maps_free(files, n);
}

static void what_is_too_much_is_counted(void **state)
{
    char text[] =
        "1000-2000 r-xp 0 08:01 5 /a\n2000-3000 r-xp 0 08:01 6 /b\n3000-4000 r-xp 0 08:01 7 /c\n";
    FILE *f = fmemopen(text, strlen(text), "r");
    struct mapped_file *files = NULL;
    uint64_t lost = 0;
    int n = libs_maps_parse(f, &files, 2, &lost);

    (void)state;
    fclose(f);
    assert_int_equal(n, 2);
    assert_int_equal(lost, 1);
    libs_maps_free(files, n);
}

static int compare_with_loader(struct dl_phdr_info *info, size_t size, void *arg)
{
    unsigned *n = arg;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const struct lib *lib;

        if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
            continue;
        lib = libs_find_any(info->dlpi_addr + p->p_vaddr);
        assert_non_null(lib);
        assert_int_equal(lib->bias, info->dlpi_addr);
        assert_ptr_equal(libs_find_any(info->dlpi_addr + p->p_vaddr + p->p_memsz - 1), lib);
        assert_non_null(lib->cfi);
        ++*n;
    }
    return 0;
}

static void libraries_are_where_the_loader_says(void **state)
{
    unsigned n = 0;

    (void)state;
    assert_int_equal(libs_update(), 1);
    assert_int_equal(libs_update(), 0);
    dl_iterate_phdr(compare_with_loader, &n);
    assert_true(n >= 3);
}

static void the_vdso_has_rules_and_symbols(void **state)
{
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    const struct lib *lib = libs_find_any(vdso);
    const struct symtab *t;
    struct symbol s;

    (void)state;
    if (vdso == 0) {
        print_message("skip the_vdso_has_rules_and_symbols: there is none\n");
        return;
    }
    assert_non_null(lib);
    assert_string_equal(lib->path, "[vdso]");
    assert_non_null(lib->cfi);
    t = lib_file_symbols(lib->file);
    assert_true(t->n > 0);
    assert_true(symbols_find(lib->bias + t->syms[0].lo, &s));
    assert_string_equal(s.library, "[vdso]");
    assert_non_null(s.name);
}

static void copy_file(const char *from, const char *to)
{
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    char bytes[65536];
    ssize_t n;

    assert_true(in >= 0 && out >= 0);
    while ((n = read(in, bytes, sizeof(bytes))) > 0)
        assert_int_equal(write(out, bytes, (size_t)n), n);
    close(in);
    close(out);
}

/* A library that is loaded and then deleted keeps rules and names, from wherever they can be had.
 * Not zero: it does not. */
static int look_at_deleted(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *function;
    const struct lib *lib;
    struct symbol s;

    if (handle == NULL)
        return 10;
    function = dlsym(handle, "inflate");
    if (function == NULL)
        function = dlsym(handle, "cos");
    unlink(path);
    libs_update();
    lib = libs_find_any((uintptr_t)function);
    if (lib == NULL)
        return 11;
    if (strcmp(lib->path, path) != 0)
        return 12;
    if (lib->cfi == NULL)
        return 13;
    if (!symbols_find((uintptr_t)function, &s) || s.name == NULL)
        return 14;
    dlclose(handle);
    libs_update();
    /* gone, and still known */
    return symbols_find((uintptr_t)function, &s) && s.name != NULL ? 0 : 15;
}

static void deleted_libraries_keep_their_names(void **state)
{
    char path[] = "/tmp/libs_test.XXXXXX.so";
    void *z = dlopen("libz.so.1", RTLD_NOW);
    const struct lib *lib;
    int status;

    (void)state;
    if (z == NULL || dlsym(z, "inflate") == NULL) {
        print_message("skip deleted_libraries_keep_their_names: no libz\n");
        return;
    }
    libs_update();
    lib = libs_find_any((uintptr_t)dlsym(z, "inflate"));
    close(mkstemps(path, 3));
    /* as whoever runs this, and as somebody who may not open /proc/self/map_files */
    for (int i = 0; i < 2; i++) {
        pid_t child;

        copy_file(lib->path, path);
        chmod(path, 0755);
        child = fork();
        if (child == 0) {
            if (i == 1 && geteuid() == 0 &&
                (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
                _exit(9);
            prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
            _exit(look_at_deleted(path));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (i == 1 && WEXITSTATUS(status) == 11)
            print_message("skip deleted library without privileges: maps are not readable\n");
        else
            assert_int_equal(WEXITSTATUS(status), 0);
        unlink(path);
    }
    dlclose(z);
}

static atomic_int stop;
static atomic_ulong found;

static void *reads(void *arg)
{
    uintptr_t self = (uintptr_t)reads;

    (void)arg;
    while (!atomic_load(&stop)) {
        const struct libs_map *map = libs_enter();

        for (uint32_t i = 0; i < map->n; i++) {
            const struct libs_segment *s = &map->segments[i];
            const struct lib *lib = libs_find(map, s->lo);

            if (lib == NULL || lib->lo != s->lo || libs_find(map, s->hi - 1) != lib)
                abort();
            if (lib->cfi != NULL)
                cfi_rule_get(cfi_table_find(lib->cfi, s->lo + 100 - lib->bias));
        }
        if (libs_find(map, self) == NULL)
            abort();
        atomic_fetch_add(&found, 1);
        libs_leave();
        usleep(20); /* handlers are few and far between */
    }
    return NULL;
}

static void readers_see_whole_maps_while_libraries_come_and_go(void **state)
{
    static const char *const names[] = {"libresolv.so.2", "libutil.so.1", "libnss_files.so.2",
                                        "libBrokenLocale.so.1", "libnss_dns.so.2"};
    struct libs_usage usage;
    pthread_t threads[3];
    unsigned n_maps = 0;

    (void)state;
    libs_update();
    atomic_store(&stop, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reads, NULL);
    for (int i = 0; i < 150; i++) {
        void *handle = dlopen(names[i % 5], RTLD_NOW | RTLD_LOCAL);

        n_maps += libs_update() > 0;
        if (handle != NULL)
            dlclose(handle);
        n_maps += libs_update() > 0;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    libs_update();
    libs_usage(&usage);
    print_message("%u maps, %lu looks; %u live, %u gone, %u waiting, %llu KB of rules\n", n_maps,
                  atomic_load(&found), usage.n_live, usage.n_gone, usage.n_waiting,
                  (unsigned long long)usage.cfi_bytes / 1024);
    assert_true(atomic_load(&found) > 0);
    assert_true(n_maps > 20);
    assert_true(usage.n_gone <= 64 && usage.n_waiting == 0);
}

static void nothing_is_left(void **state)
{
    struct libs_usage usage;

    (void)state;
    libs_stop();
    libs_usage(&usage);
    assert_int_equal(usage.n_live + usage.n_gone + usage.n_waiting, 0);
    assert_null(libs_enter());
    libs_leave();
    assert_null(libs_find(NULL, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_too_much_is_counted),
        cmocka_unit_test(libraries_are_where_the_loader_says),
        cmocka_unit_test(the_vdso_has_rules_and_symbols),
        cmocka_unit_test(deleted_libraries_keep_their_names),
        cmocka_unit_test(readers_see_whole_maps_while_libraries_come_and_go),
        cmocka_unit_test(nothing_is_left),
    };

    return run_rows("libs: maps", rows, maps) +
           cmocka_run_group_tests_name("libs", tests, NULL, NULL);
}
