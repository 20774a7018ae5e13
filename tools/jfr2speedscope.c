#include "tools/cli/output.h"

int main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2speedscope",
        .about = "Turn flight recordings into JSON for speedscope, one profile per thread.",
        .footer = "  jfr2speedscope -o app.speedscope.json app.jfr\n"
                  "  jfr2speedscope -k alloc -u bytes -o alloc.speedscope.json app.jfr\n"
                  "  jfr2speedscope --split user -o users.speedscope.json app.jfr\n",
        .has_split = true};

    return cli_output_main(&about, &format_speedscope, argc, argv);
}
