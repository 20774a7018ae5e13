#include "tools/output/limit.h"

#include "convert/text/timespec.h"

int cli_limit_read(struct cli_limit *l, const struct cli_command *command, const char *text,
                   const char *advice)
{
    struct jfr_error err = {0};

    *l = (struct cli_limit){.command = command, .text = text, .advice = advice};
    if (text != NULL && timespec_size(text, &l->most, &err) != 0)
        return cli_usage(command, "--size-limit: %s", err.text);
    return 0;
}

static int drain_limited(struct out *out)
{
    struct cli_limit *l = out->ctx;

    if (out->rc != 0)
        return out->rc;
    l->written += out->b.n;
    if (l->written > l->most) {
        cli_error(l->command, "the output would be larger than %s: %s make it smaller", l->text,
                  l->advice);
        return out->rc = JFR_E_LIMIT;
    }
    out->ctx = l->drain_ctx;
    out->rc = l->drain(out);
    out->ctx = l;
    return out->rc;
}

void cli_limit_set(struct cli_limit *l, struct out *out)
{
    if (l->most == 0)
        return;
    l->drain = out->drain;
    l->drain_ctx = out->ctx;
    out->drain = drain_limited;
    out->ctx = l;
}
