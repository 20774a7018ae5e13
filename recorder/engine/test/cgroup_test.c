/* Control groups of both versions, as trees of files. */
#include "recorder/engine/cgroup.h"

#include "jfrfmt/test/testing.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/cgroup.XXXXXX";

static void put(const char *path, const char *text)
{
    char full[512];
    FILE *f;

    snprintf(full, sizeof(full), "%s%s", dir, path);
    for (char *p = full + strlen(dir) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        mkdir(full, 0700);
        *p = '/';
    }
    f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static int clean(void **state)
{
    (void)state;
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return mkdir(dir, 0700);
}

#define V1_MOUNTS                                                                   \
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"                    \
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup " \
    "rw,cpu,cpuacct\n"                                                              \
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"             \
    "37 31 0:33 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"               \
    "38 31 0:34 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define CPU "/sys/fs/cgroup/cpu,cpuacct/a/b"
#define MEMORY "/sys/fs/cgroup/memory/m"
#define BLKIO "/sys/fs/cgroup/blkio"

static void version_1(void **state)
{
    struct cgroup c;
    struct cgroup_limits l;
    struct cgroup_usage u;

    (void)state;
    put("/proc/self/cgroup",
        "4:memory:/m\n3:cpu,cpuacct:/a/b\n2:blkio:/\n1:name=systemd:/x\n0::/\n");
    put("/proc/self/mountinfo", V1_MOUNTS);
    put(CPU "/cpu.cfs_period_us", "100000\n");
    put(CPU "/cpu.cfs_quota_us", "150000\n");
    put(CPU "/cpu.shares", "1024\n");
    put(CPU "/cpu.stat", "nr_periods 10\nnr_throttled 2\nthrottled_time 5000\n");
    put(CPU "/cpuacct.usage", "123456789\n");
    put(CPU "/cpuacct.stat", "user 7\nsystem 3\n");
    put(MEMORY "/memory.limit_in_bytes", "1073741824\n");
    put(MEMORY "/memory.soft_limit_in_bytes", "9223372036854771712\n");
    put(MEMORY "/memory.usage_in_bytes", "4096\n");
    put(MEMORY "/memory.failcnt", "4\n");
    put(BLKIO "/blkio.throttle.io_serviced", "8:0 Read 5\n8:0 Write 2\nTotal 7\n");
    put(BLKIO "/blkio.throttle.io_service_bytes", "8:0 Read 512\nTotal 512\n");
    assert_true(cgroup_find(&c, dir));
    assert_int_equal(c.version, 1);
    cgroup_limits(&c, &l);
    assert_int_equal(l.period_us, 100000);
    assert_int_equal(l.quota_us, 150000);
    assert_int_equal(l.shares, 1024);
    assert_int_equal(l.memory, 1073741824);
    assert_int_equal(l.soft_memory, -1); /* no limit */
    assert_int_equal(l.memory_and_swap, -1); /* no such file */
    cgroup_usage(&c, &u);
    assert_int_equal(u.cpu_ns, 123456789);
    assert_int_equal(u.user_ns, 7 * (1000000000 / sysconf(_SC_CLK_TCK)));
    assert_int_equal(u.slices, 10);
    assert_int_equal(u.throttled_slices, 2);
    assert_int_equal(u.throttled_ns, 5000);
    assert_int_equal(u.memory, 4096);
    assert_int_equal(u.memory_failures, 4);
    assert_int_equal(u.memory_and_swap, -1);
    assert_int_equal(u.io_requests, 7);
    assert_int_equal(u.io_bytes, 512);
}

static void version_2(void **state)
{
    struct cgroup c;
    struct cgroup_limits l;
    struct cgroup_usage u;

    (void)state;
    put("/proc/self/cgroup", "0::/app.slice/x\n");
    put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/app.slice/x/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/app.slice/x/cpu.weight", "100\n");
    put("/sys/fs/cgroup/app.slice/x/cpu.stat",
        "usage_usec 1000\nuser_usec 600\nsystem_usec 400\nnr_periods 5\nnr_throttled 1\n"
        "throttled_usec 9\n");
    put("/sys/fs/cgroup/app.slice/x/memory.max", "2048\n");
    put("/sys/fs/cgroup/app.slice/x/memory.swap.max", "1024\n");
    put("/sys/fs/cgroup/app.slice/x/memory.low", "max\n");
    put("/sys/fs/cgroup/app.slice/x/memory.current", "1000\n");
    put("/sys/fs/cgroup/app.slice/x/memory.swap.current", "24\n");
    put("/sys/fs/cgroup/app.slice/x/memory.events", "low 0\nhigh 0\nmax 6\noom 0\n");
    put("/sys/fs/cgroup/app.slice/x/io.stat",
        "8:0 rbytes=100 wbytes=20 rios=3 wios=1 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=0 rios=1 "
        "wios=0\n");
    assert_true(cgroup_find(&c, dir));
    assert_int_equal(c.version, 2);
    cgroup_limits(&c, &l);
    assert_int_equal(l.quota_us, -1);
    assert_int_equal(l.period_us, 100000);
    assert_in_range(l.shares, 2, 262144);
    assert_int_equal(l.memory, 2048);
    assert_int_equal(l.memory_and_swap, 3072);
    assert_int_equal(l.soft_memory, -1);
    cgroup_usage(&c, &u);
    assert_int_equal(u.cpu_ns, 1000000);
    assert_int_equal(u.user_ns, 600000);
    assert_int_equal(u.system_ns, 400000);
    assert_int_equal(u.throttled_ns, 9000);
    assert_int_equal(u.memory_and_swap, 1024);
    assert_int_equal(u.memory_failures, 6);
    assert_int_equal(u.io_bytes, 121);
    assert_int_equal(u.io_requests, 5);
}

/* In a container the mount shows the container's part of the hierarchy only. */
static void a_mount_that_shows_a_part(void **state)
{
    struct cgroup c;
    struct cgroup_usage u;

    (void)state;
    put("/proc/self/cgroup", "4:memory:/docker/abc/inner\n3:cpu:/docker/abcdef\n");
    put("/proc/self/mountinfo",
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "36 31 0:33 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    put("/sys/fs/cgroup/memory/inner/memory.usage_in_bytes", "77\n");
    put("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 3\n");
    assert_true(cgroup_find(&c, dir));
    cgroup_usage(&c, &u);
    assert_int_equal(u.memory, 77);
    assert_int_equal(u.slices, 3); /* another's group: what is mounted counts */
}

static void no_groups(void **state)
{
    struct cgroup c;

    (void)state;
    assert_false(cgroup_find(&c, dir));
    put("/proc/self/cgroup", "\n:\n::\n5\n4:memory\n");
    assert_false(cgroup_find(&c, dir));
    put("/proc/self/cgroup", "4:memory:/m\n");
    put("/proc/self/mountinfo", "nonsense\n1 2 3 - \n35 31 0:32 / /sys - cgroup\n");
    assert_false(cgroup_find(&c, dir));
}

static void this_machine(void **state)
{
    struct cgroup c;
    struct cgroup_usage u;

    (void)state;
    if (!cgroup_find(&c, "")) {
        print_message("skip this_machine: no control groups here\n");
        return;
    }
    cgroup_usage(&c, &u);
    assert_true(u.cpu_ns != 0 || u.memory != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(version_1, clean),
        cmocka_unit_test_setup(version_2, clean),
        cmocka_unit_test_setup(a_mount_that_shows_a_part, clean),
        cmocka_unit_test_setup(no_groups, clean),
        cmocka_unit_test(this_machine),
    };
    int rc;

    if (mkdtemp(dir) == NULL)
        return 1;
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return rc;
}
