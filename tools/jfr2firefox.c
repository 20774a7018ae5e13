#include "tools/output/output.h"
#include "tools/programs.h"

int jfr2firefox_main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2firefox",
        .about = "Turn flight recordings into JSON for Firefox's profiler, with markers.",
        .examples =
            "  jfrkit convert -f firefox -o app.json app.jfr # open in profiler.firefox.com\n",
        .own = "size-limit"};

    return cli_output_main(&about, &format_firefox, argc, argv);
}
