#include "tools/cli_page.h"

#include "convert/page_in.h"
#include "tools/cli_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapped {
    void *p;
    size_t n;
};

/* The whole of a plain file; p NULL when it is none, or empty. */
static struct mapped map_file(const char *path)
{
    struct mapped m = {NULL, 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        m.n = (size_t)st.st_size;
        m.p = mmap(NULL, m.n, PROT_READ, MAP_PRIVATE, fd, 0);
        if (m.p == MAP_FAILED)
            m.p = NULL;
    }
    if (fd >= 0)
        close(fd);
    return m;
}

/* Is any argument the name of a page? Then it is worth a look at the operands. */
static bool names_a_page(int argc, char **argv)
{
    bool found = false;

    for (int i = 1; i < argc && !found; i++) {
        struct mapped m = argv[i][0] == '-' ? (struct mapped){NULL, 0} : map_file(argv[i]);

        found = m.p != NULL && page_in_is(m.p, m.n);
        if (m.p != NULL)
            munmap(m.p, m.n);
    }
    return found;
}

static int write_stacks(const struct cli_command *command, const char *path, struct mapped m,
                        const char *output)
{
    struct jfr_error err = {0};
    struct out_file *file = out_file_open(output, &err);
    struct out out;

    if (file == NULL) {
        cli_report_error(command, NULL, &err);
        return EXIT_FAILED;
    }
    out = out_to(file);
    if (page_in_stacks(m.p, m.n, &out, &err) == 0)
        out_flush(&out);
    if (out.rc == JFR_E_NOMEM)
        jfr_fail(&err, out.rc, 0, "out of memory");
    out_free(&out);
    if (err.code != 0) {
        out_file_abort(file);
        cli_report_error(command, path, &err);
        return EXIT_FAILED;
    }
    if (out_file_commit(file, &err) == 0)
        return EXIT_DONE;
    cli_report_error(command, NULL, &err);
    return EXIT_FAILED;
}

int cli_page_main(int argc, char **argv)
{
    static const struct cli_table tables[] = {{NULL, cli_run_table, CLI_RUN_N, 0}};
    static const struct cli_command command = {.name = "jfr2collapsed",
                                               .usage = "[options] page.html",
                                               .about = "Print the stacks of a page.",
                                               .tables = tables,
                                               .n_tables = 1};
    struct cli_run_options options = {0};
    struct cli_list files = {0};
    struct mapped m = {NULL, 0};
    int rc;

    if (!names_a_page(argc, argv))
        return -1;
    for (int i = 1; i < argc; i++) /* only options of the output say anything about a page */
        if (argv[i][0] == '-' && strncmp(argv[i], "-o", 2) != 0 &&
            strncmp(argv[i], "--output", 8) != 0 && strcmp(argv[i], "-q") != 0 &&
            strcmp(argv[i], "--quiet") != 0 && strcmp(argv[i], "-") != 0)
            return -1;
    rc = cli_parse(&command, argc, argv, &options, &files);
    if (rc < 0 && files.n == 1)
        m = map_file(files.items[0]);
    if (rc < 0)
        rc = m.p != NULL && page_in_is(m.p, m.n)
                 ? (cli_signals(), write_stacks(&command, files.items[0], m, options.output))
                 : -1;
    if (m.p != NULL)
        munmap(m.p, m.n);
    cli_list_free(&files);
    return rc;
}
