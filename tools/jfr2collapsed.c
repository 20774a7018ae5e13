#include "tools/cli/output.h"

int main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2collapsed",
        .about = "Print stacks with their weights, one per line, root first.",
        .footer = "  jfr2collapsed --threads app.jfr | flamegraph.pl >app.svg\n"
                  "  jfr2collapsed -k alloc -u bytes --leaf-class app.jfr\n"};

    return cli_output_main(&about, &format_collapsed, argc, argv);
}
