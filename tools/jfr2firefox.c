#include "tools/cli/output.h"

int main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2firefox",
        .about = "Turn flight recordings into JSON for Firefox's profiler, with markers.",
        .footer =
            "  jfr2firefox -o app.json app.jfr              # then open it in profiler.firefox.com\n"
            "  jfr2firefox -k wall --from 10s --to 20s -o app.json app.jfr\n",
        .has_size_limit = true};

    return cli_output_main(&about, &format_firefox, argc, argv);
}
