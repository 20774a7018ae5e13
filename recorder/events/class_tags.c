/*
 * class_tags.c - a table of texts whose keys are JVMTI tags. Engines on any thread add texts; the
 * callback of a freed object takes them.
 *
 * A tag contains the number of the recording (epoch), so tags of an earlier recording find
 * nothing. One lock guards the table; it is held for a few instructions only, also in the pauses
 * of collections.
 */
#include "recorder/events/class_tags.h"
#include "jfrfmt/base/array.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_BITS 32

struct text {
    void *bytes; /* NULL: class_tags_take() has returned it */
    size_t n;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct text *texts;
static size_t n_texts, room;
static int64_t epoch = 1; /* of tags; positive */

void class_tags_reset(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_texts; i++)
        free(texts[i].bytes);
    free(texts);
    texts = NULL;
    n_texts = room = 0;
    epoch++;
    pthread_mutex_unlock(&lock);
}

/* lock is held. */
static int64_t add(void *bytes, size_t n)
{
    if (!array_reserve(&texts, &room, n_texts + 1, sizeof(*texts)))
        return 0;
    texts[n_texts] = (struct text){bytes, n};
    return epoch << INDEX_BITS | (int64_t)n_texts++;
}

int64_t class_tags_keep(const void *text, size_t n)
{
    void *copy = malloc(n + 1);
    int64_t tag;

    if (copy == NULL)
        return 0;
    memcpy(copy, text, n);
    pthread_mutex_lock(&lock);
    tag = add(copy, n);
    pthread_mutex_unlock(&lock);
    if (tag == 0)
        free(copy);
    return tag;
}

/* lock is held. NULL: of another epoch. */
static struct text *tag_text_of(int64_t tag)
{
    size_t i = (uint32_t)tag;

    return tag >> INDEX_BITS == epoch && i < n_texts ? &texts[i] : NULL;
}

bool class_tags_is_kept(int64_t tag)
{
    bool is_kept;

    pthread_mutex_lock(&lock);
    is_kept = tag_text_of(tag) != NULL;
    pthread_mutex_unlock(&lock);
    return is_kept;
}

void *class_tags_take(int64_t tag, size_t *n)
{
    struct text *text;
    void *bytes = NULL;

    pthread_mutex_lock(&lock);
    text = tag_text_of(tag);
    if (text != NULL) {
        bytes = text->bytes;
        *n = text->n;
        text->bytes = NULL;
    }
    pthread_mutex_unlock(&lock);
    return bytes;
}
