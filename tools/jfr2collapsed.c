#include "tools/output/output.h"
#include "tools/programs.h"

int jfr2collapsed_main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2collapsed",
        .about = "Print stacks with their weights, one per line, root first.",
        .examples = "  jfrkit convert -o app.collapsed app.jfr\n"
                    "  jfrkit convert -f collapsed -k alloc -u bytes app.jfr | sort | head\n"};

    return cli_output_main(&about, &format_collapsed, argc, argv);
}
