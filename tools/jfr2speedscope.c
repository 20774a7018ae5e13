#include "tools/output/output.h"
#include "tools/programs.h"

int jfr2speedscope_main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2speedscope",
        .about = "Turn flight recordings into JSON for speedscope, one profile per thread.",
        .examples = "  jfrkit convert -o app.speedscope.json app.jfr # open in speedscope.app\n"
                    "  jfrkit convert --split user -o users.speedscope.json app.jfr\n",
        .own = "split size-limit"};

    return cli_output_main(&about, &format_speedscope, argc, argv);
}
