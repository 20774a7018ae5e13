/*
 * reader_seeds.c - makes the seeds of the reader's own fuzz targets: a metadata event, checkpoints,
 * a chunk. From the root of the project:
 *
 *     make && cc -I. -D_GNU_SOURCE -o build/reader_seeds test-data/fuzz/reader_seeds.c \
 *         build/libjfrkit.a -lzstd -lz -llz4 && build/reader_seeds test-data/fuzz
 */
#include "jfrfmt/test/rich.h"

#include <string.h>

static void save(const char *dir, const char *name, const uint8_t *p, size_t n)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(p, 1, n, f) != n || fclose(f) != 0)
        perror(path);
}

int main(int argc, char **argv)
{
    static const uint8_t head[2];
    const char *dir = argc > 1 ? argv[1] : ".";
    struct buf pools = {0}, file = {0};
    size_t metadata;
    struct tc t;

    rich_chunk(&t);
    save(dir, "chunk/one.chunk", t.b.p, t.b.n);
    metadata = (size_t)t.b.p[30] << 8 | t.b.p[31];
    save(dir, "metadata/usual.event", t.b.p + metadata, t.b.n - metadata);
    buf_bytes(&pools, head, 2);
    buf_bytes(&pools, t.b.p + t.last_checkpoint,
              metadata - t.last_checkpoint); /* delta leads outside: the strays are read */
    save(dir, "cpool/last.pools", pools.p, pools.n);
    buf_bytes(&file, t.b.p, t.b.n);
    buf_bytes(&file, t.b.p, t.b.n);
    save(dir, "reader/two.jfr", file.p, file.n);
    buf_free(&pools);
    buf_free(&file);
    tc_free(&t);
    return 0;
}
