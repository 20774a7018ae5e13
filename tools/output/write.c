#include "tools/output/write.h"

int cli_write(const struct cli_command *command, const char *path,
              int (*put)(void *ctx, struct out *out), void *ctx)
{
    struct jfr_error err = {0};
    struct out_file *file = out_file_open(path, &err);
    bool write_failed;
    struct out out;
    int rc;

    if (file == NULL) {
        cli_report_error(command, NULL, &err);
        return EXIT_FAILED;
    }
    out = out_to(file);
    rc = put(ctx, &out);
    if (rc == 0)
        rc = out_flush(&out);
    write_failed = out.rc == JFR_E_IO;
    out_free(&out);
    if (rc == 0 || write_failed) /* it knows the first failed write, and keeps nothing after one */
        rc = out_file_commit(file, &err);
    else
        out_file_abort(file);
    if (rc == 0)
        return EXIT_DONE;
    if (rc == CLI_REPORTED)
        return EXIT_USAGE;
    if (rc == JFR_E_NOMEM)
        return cli_no_memory(command);
    jfr_fail(&err, JFR_E_IO, 0, "cannot make the output");
    cli_report_error(command, NULL, &err);
    return EXIT_FAILED;
}
