/*
 * libs.c - the libraries of this process: found again when they change, and kept while they are
 * used.
 *
 * The drain thread calls libs_update(). It compares the mappings with the map in use, makes a new
 * map if they differ, and publishes it with one store. The old map is freed at a moment without
 * readers: signal handlers count themselves in and out with libs_enter() and libs_leave().
 */
#include "recorder/native/libs.h"
#include "recorder/native/cfi_table.h"
#include "recorder/native/lib_file.h"
#include "recorder/native/libs_maps.h"
#include "jfrfmt/base/sorted.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>

enum {
    LIBS_MAX = 8192, /* executable mappings looked at */
    GONE_MAX = 64,
    WAITING_MAX = 32, /* old maps that are not free yet */
    PATIENCE = 200, /* looks for a moment without readers, per update */
};

struct libs_item {
    struct lib lib;
    struct libs_item *next; /* in the list of those that went */
    uint32_t maps; /* that point here, waiting ones too */
    bool is_seen;
};

struct waiting {
    struct libs_map *map;
    struct libs_item **items;
    uint32_t n;
};

static struct libs_map *_Atomic current;
static atomic_uint readers;

/* Guards the rest. Signal handlers never take it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct libs_item **live;
static uint32_t n_live;
static struct libs_item *gone; /* most recent first */
static uint32_t n_gone;
static struct waiting waiting[WAITING_MAX];
static uint32_t n_waiting;
static struct lib_file *files;
static uintptr_t vm_address;
static bool must_renew; /* the map, though no library came or went */
static unsigned long long seen_adds, seen_subs;
static uint64_t n_updates, n_lost;

const struct libs_map *libs_enter(void)
{
    /* Sequentially consistent, as is the exchange in publish(): a reader that the writer does not
     * count here loads the map after the exchange and gets the new one. */
    atomic_fetch_add(&readers, 1);
    return atomic_load(&current);
}

void libs_leave(void)
{
    /* Pairs with the load in free_waiting(): what was read through the map was read before. */
    atomic_fetch_sub(&readers, 1);
}

static const struct lib *find(const struct libs_segment *segments, uint32_t n, uintptr_t pc)
{
    size_t behind = SORTED_FIRST(n, i, segments[i].lo > pc);

    return behind > 0 && pc < segments[behind - 1].hi ? segments[behind - 1].lib : NULL;
}

const struct lib *libs_find(const struct libs_map *map, uintptr_t pc)
{
    return map == NULL ? NULL : find(map->segments, map->n, pc);
}

const struct lib *libs_find_any(uintptr_t pc)
{
    const struct lib *lib;

    pthread_mutex_lock(&lock);
    lib = libs_find(atomic_load(&current), pc);
    for (struct libs_item *i = gone; lib == NULL && i != NULL; i = i->next)
        if (pc >= i->lib.lo && pc < i->lib.hi)
            lib = &i->lib;
    pthread_mutex_unlock(&lock);
    return lib;
}

static void free_item(struct libs_item *item)
{
    lib_file_put(&files, item->lib.file);
    free(item);
}

/* Libraries that went, beyond the newest few, unless an old map still points to them. */
static void trim_gone(uint32_t keep)
{
    struct libs_item **at = &gone;
    uint32_t n = 0;

    while (*at != NULL) {
        struct libs_item *item = *at;

        if (++n > keep && item->maps == 0) {
            *at = item->next;
            n_gone--;
            free_item(item);
        } else {
            at = &item->next;
        }
    }
}

static void free_map(struct waiting *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        w->items[i]->maps--;
    if (w->map != NULL)
        free(w->map->rules);
    free(w->map);
    free(w->items);
    *w = (struct waiting){0};
}

/* Frees the old maps at a moment without readers: none of them is in use then. */
static void free_waiting(unsigned patience)
{
    while (n_waiting > 0 && atomic_load(&readers) != 0) {
        if (patience-- == 0)
            return;
        sched_yield();
    }
    while (n_waiting > 0)
        free_map(&waiting[--n_waiting]);
    trim_gone(GONE_MAX);
}

static bool is_same_mapping(const struct lib *lib, const struct mapped_file *m)
{
    return lib->lo == m->lo && lib->hi == m->hi && lib->file->dev == m->dev &&
           lib->file->ino == m->ino && strcmp(lib->path, m->path) == 0;
}

static struct libs_item *find_live(const struct mapped_file *m)
{
    for (uint32_t i = 0; i < n_live; i++)
        if (is_same_mapping(&live[i]->lib, m))
            return live[i];
    return NULL;
}

static struct libs_item *new_item(const struct mapped_file *m)
{
    struct libs_item *item = calloc(1, sizeof(*item));
    struct lib *lib;

    if (item == NULL)
        return NULL;
    lib = &item->lib;
    lib->file = lib_file_get(&files, m);
    if (lib->file == NULL) {
        free(item);
        return NULL;
    }
    lib->lo = m->lo;
    lib->hi = m->hi;
    lib->path = lib->file->path;
    lib->bias = m->lo - (uintptr_t)(lib->file->text_vaddr + (m->offset - lib->file->text_offset));
    lib->cfi = lib->file->has_vaddr ? lib->file->cfi : NULL;
    return item;
}

static struct libs_map *new_map(struct libs_item *const *items, uint32_t n)
{
    struct libs_map *map = calloc(1, sizeof(*map) + n * sizeof(map->segments[0]));

    if (map == NULL)
        return NULL;
    map->rules = calloc(LIBS_CACHE, sizeof(*map->rules));
    if (map->rules == NULL) {
        free(map);
        return NULL;
    }
    map->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct lib *lib = &items[i]->lib;

        map->segments[i] = (struct libs_segment){lib->lo, lib->hi, lib};
        if (vm_address >= lib->lo && vm_address < lib->hi) {
            map->vm_lo = lib->lo;
            map->vm_hi = lib->hi;
        }
    }
    return map;
}

/* The new items replace the live ones; the old map waits for its readers. */
static void publish(struct libs_map *map, struct libs_item **items, uint32_t n)
{
    struct libs_map *old = atomic_exchange(&current, map);

    for (uint32_t i = 0; i < n; i++)
        items[i]->is_seen = true;
    for (uint32_t i = 0; i < n_live; i++)
        if (!live[i]->is_seen) {
            live[i]->next = gone;
            gone = live[i];
            n_gone++;
        }
    for (uint32_t i = 0; i < n; i++)
        items[i]->is_seen = false;
    if (old != NULL)
        waiting[n_waiting++] = (struct waiting){old, live, n_live};
    else
        free(live);
    live = items;
    n_live = n;
    n_updates++;
}

static bool is_current(struct libs_item *const *items, uint32_t n)
{
    if (n != n_live || n_updates == 0 || must_renew)
        return false;
    return n == 0 || memcmp(items, live, n * sizeof(*items)) == 0;
}

static int by_lo(const void *a, const void *b)
{
    const struct mapped_file *x = a, *y = b;

    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void free_new(struct libs_item **items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (items[i]->maps == 0)
            free_item(items[i]);
    free(items);
}

static int install(struct mapped_file *mapped, uint32_t n)
{
    struct libs_item **items = calloc((size_t)n + 1, sizeof(*items));
    struct libs_map *map;
    uint32_t kept = 0;

    if (items == NULL)
        return -1;
    qsort(mapped, n, sizeof(*mapped), by_lo);
    for (uint32_t i = 0; i < n; i++) {
        struct libs_item *item;

        if (kept > 0 && mapped[i].lo < items[kept - 1]->lib.hi)
            continue; /* two files woven into one another */
        item = find_live(&mapped[i]);
        if (item == NULL)
            item = new_item(&mapped[i]);
        if (item == NULL)
            n_lost++;
        else
            items[kept++] = item;
    }
    if (is_current(items, kept)) {
        free(items);
        return 0;
    }
    map = new_map(items, kept);
    if (map == NULL) {
        free_new(items, kept);
        return -1;
    }
    for (uint32_t i = 0; i < kept; i++)
        items[i]->maps++;
    publish(map, items, kept);
    return 1;
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *arg)
{
    unsigned long long *counts = arg;

    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
        counts[0] = info->dlpi_adds;
        counts[1] = info->dlpi_subs;
    }
    return 1; /* the first tells all */
}

static int update(void)
{
    unsigned long long counts[2] = {0, 0};
    struct mapped_file *mapped;
    int n, rc;

    dl_iterate_phdr(count_changes, counts);
    free_waiting(PATIENCE);
    if (n_updates > 0 && !must_renew && counts[0] != 0 && counts[0] == seen_adds &&
        counts[1] == seen_subs)
        return 0;
    if (n_waiting == WAITING_MAX)
        return -1; /* readers never pause: rather an old map than ever more of them */
    n = libs_maps_read(&mapped, LIBS_MAX, &n_lost);
    if (n < 0)
        return -1;
    rc = install(mapped, (uint32_t)n);
    libs_maps_free(mapped, n);
    if (rc >= 0) {
        must_renew = false;
        seen_adds = counts[0];
        seen_subs = counts[1];
    }
    free_waiting(PATIENCE);
    return rc;
}

int libs_update(void)
{
    int rc;

    pthread_mutex_lock(&lock);
    rc = update();
    pthread_mutex_unlock(&lock);
    return rc;
}

void libs_set_vm(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    must_renew = must_renew || address != vm_address;
    vm_address = address;
    pthread_mutex_unlock(&lock);
}

void libs_usage(struct libs_usage *usage)
{
    pthread_mutex_lock(&lock);
    *usage = (struct libs_usage){
        .n_live = n_live,
        .n_gone = n_gone,
        .n_waiting = n_waiting,
        .n_updates = n_updates,
        .n_lost = n_lost,
    };
    for (uint32_t i = 0; i < n_live; i++)
        usage->n_without_cfi += live[i]->lib.cfi == NULL;
    for (const struct lib_file *f = files; f != NULL; f = f->next) {
        usage->cfi_bytes += cfi_table_bytes(f->cfi);
        usage->symbols += f->symbols.n;
        usage->symbol_bytes += symtab_bytes(&f->symbols);
    }
    pthread_mutex_unlock(&lock);
}

void libs_stop(void)
{
    struct libs_map *map;

    pthread_mutex_lock(&lock);
    map = atomic_exchange(&current, NULL);
    while (n_waiting > 0)
        free_map(&waiting[--n_waiting]);
    for (uint32_t i = 0; i < n_live; i++) {
        live[i]->next = gone;
        gone = live[i];
    }
    if (map != NULL)
        free_map(&(struct waiting){map, live, n_live});
    live = NULL;
    n_live = 0;
    trim_gone(0);
    n_gone = 0;
    seen_adds = seen_subs = 0;
    n_updates = n_lost = 0;
    vm_address = 0;
    pthread_mutex_unlock(&lock);
}
