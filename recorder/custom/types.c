/*
 * types.c - keeps the event types that programs define, and checks their names and fields.
 *
 * Any thread of the program may define a type. Types are never removed.
 */
#include "recorder/custom/types.h"

#define JFRKIT_EVENT_INSIDE
#include "recorder/api/jfrkit_event.h"
#include "recorder/capture/wake.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Atomic int64_t custom_thresholds[CUSTOM_TYPES + 1];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct custom_type *types[CUSTOM_TYPES];
static _Atomic size_t n_types;
static bool is_on;

/* --- checks --- */

/* ASCII only, whatever the locale: readers take no more. */
static bool is_identifier(const char *p, size_t n)
{
    static const char more[] = "0123456789",
                      letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";

    for (size_t i = 0; i < n; i++)
        if (strchr(letters, p[i]) == NULL && (i == 0 || strchr(more, p[i]) == NULL))
            return false;
    return n > 0;
}

static bool is_type_name(const char *name)
{
    if (name == NULL || strlen(name) >= CUSTOM_NAME_MAX || strncmp(name, "jdk.", 4) == 0)
        return false;
    for (const char *p = name;; p += strcspn(p, ".") + 1) {
        if (!is_identifier(p, strcspn(p, ".")))
            return false;
        if (p[strcspn(p, ".")] == '\0')
            return true;
    }
}

/* Units are for numbers, and percentages for real numbers. */
static bool suits(int kind, int unit)
{
    bool is_real = kind == JK_FLOAT || kind == JK_DOUBLE;

    if (unit == JK_NO_UNIT)
        return true;
    return unit > 0 && unit <= JK_ADDRESS && kind >= JK_BYTE && kind <= JK_DOUBLE &&
           kind != JK_CHAR &&
           (!is_real || unit == JK_PERCENTAGE || unit == JK_HERTZ || unit == JK_BYTES ||
            unit == JK_BITS) &&
           (unit != JK_PERCENTAGE || is_real);
}

static bool is_field(const struct jk_event_type *t, int i)
{
    static const char *const taken[] = {"startTime", "duration", "eventThread", "stackTrace"};
    const struct jk_field *f = &t->fields[i];

    if (f->name == NULL || strlen(f->name) >= CUSTOM_NAME_MAX ||
        !is_identifier(f->name, strlen(f->name)) || f->kind < JK_BOOLEAN || f->kind > JK_CLASS ||
        !suits(f->kind, f->unit))
        return false;
    for (size_t k = 0; k < sizeof(taken) / sizeof(taken[0]); k++)
        if (strcmp(f->name, taken[k]) == 0)
            return false;
    for (int k = 0; k < i; k++)
        if (strcmp(f->name, t->fields[k].name) == 0)
            return false;
    return true;
}

static int check_type(const struct jk_event_type *t)
{
    if (!is_type_name(t->name))
        return JK_BAD_NAME;
    if (t->n_fields > CUSTOM_FIELDS)
        return JK_TOO_MANY_FIELDS;
    if (t->n_fields < 0 || (t->n_fields > 0 && t->fields == NULL))
        return JK_BAD_FIELD;
    for (int i = 0; i < t->n_fields; i++)
        if (!is_field(t, i))
            return JK_BAD_FIELD;
    return 0;
}

/* --- the table --- */

/* Labels and descriptions of fields are compared, those of the type are not. */
static bool is_same_shape(const struct custom_type *a, const struct jk_event_type *b)
{
    if (a->n_fields != (uint32_t)b->n_fields)
        return false;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
            a->fields[i].kind != b->fields[i].kind || a->fields[i].unit != b->fields[i].unit)
            return false;
    return true;
}

/* Returns a copy, cut at a character if it is too long; NULL for NULL. */
static char *copy(const char *text)
{
    size_t n = text == NULL ? 0 : strnlen(text, CUSTOM_TEXT_MAX);

    if (n == CUSTOM_TEXT_MAX)
        for (n--; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--;
    return n == 0 ? NULL : strndup(text, n);
}

static struct custom_type *make_type(const struct jk_event_type *from)
{
    struct custom_type *t = calloc(1, sizeof(*t));

    if (t == NULL || (t->fields = calloc((size_t)from->n_fields + 1, sizeof(*t->fields))) == NULL) {
        free(t);
        return NULL;
    }
    strcpy(t->name, from->name);
    t->label = copy(from->label);
    t->description = copy(from->description);
    t->category = copy(from->category);
    t->n_fields = (uint32_t)from->n_fields;
    t->flags = (uint8_t)from->flags;
    t->threshold_ns = from->threshold_ns > 0 ? from->threshold_ns : 0;
    t->with_stack = true;
    throttle_init(&t->throttle, INT64_MAX, 1);
    for (uint32_t i = 0; i < t->n_fields; i++) {
        strcpy(t->fields[i].name, from->fields[i].name);
        t->fields[i].label = copy(from->fields[i].label);
        t->fields[i].description = copy(from->fields[i].description);
        t->fields[i].kind = (uint8_t)from->fields[i].kind;
        t->fields[i].unit = (uint8_t)from->fields[i].unit;
        t->fields[i].flags = (uint8_t)from->fields[i].flags;
    }
    return t;
}

/* lock is held. */
static int add(const struct jk_event_type *type)
{
    size_t n = n_types;

    for (size_t i = 0; i < n; i++)
        if (strcmp(types[i]->name, type->name) == 0)
            return is_same_shape(types[i], type) ? (int)i + 1 : (int)JK_OTHER_TYPE;
    if (n == CUSTOM_TYPES)
        return JK_TOO_MANY_TYPES;
    types[n] = make_type(type);
    if (types[n] == NULL)
        return JK_NO_MEMORY;
    custom_thresholds[n + 1] = is_on ? CUSTOM_NEW : CUSTOM_OFF;
    /* Pairs with the acquire in custom_n_types(): the type is complete. */
    atomic_store_explicit(&n_types, n + 1, memory_order_release);
    return (int)n + 1;
}

int custom_define(const struct jk_event_type *type)
{
    int rc = check_type(type);

    if (rc != 0)
        return rc;
    pthread_mutex_lock(&lock);
    rc = add(type);
    pthread_mutex_unlock(&lock);
    wake(); /* the drain thread looks up its settings, so that unwanted events are soon refused */
    return rc;
}

size_t custom_n_types(void)
{
    return atomic_load_explicit(&n_types, memory_order_acquire);
}

struct custom_type *custom_type(int number)
{
    return number < 1 || (size_t)number > custom_n_types() ? NULL : types[number - 1];
}

/* --- recordings --- */

static void switch_all(bool on)
{
    pthread_mutex_lock(&lock);
    is_on = on;
    for (size_t i = 1; i <= n_types; i++)
        custom_thresholds[i] = on ? CUSTOM_NEW : CUSTOM_OFF;
    pthread_mutex_unlock(&lock);
}

void custom_begin(void)
{
    switch_all(true);
}

void custom_end(void)
{
    switch_all(false);
}

void custom_set(int number, const struct custom_limits *limits)
{
    struct custom_type *t = custom_type(number);

    throttle_init(&t->throttle, limits->events, limits->per_ns);
    t->with_stack = limits->with_stack;
    t->only_used = limits->only_used;
    pthread_mutex_lock(&lock);
    /* Pairs with the acquire in custom_commit(), which then sees the new throttle, too. */
    if (is_on)
        atomic_store_explicit(&custom_thresholds[number], limits->threshold_ns,
                              memory_order_release);
    pthread_mutex_unlock(&lock);
}
