#include "tools/output/output.h"
#include "tools/programs.h"

int jfr2pprof_main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2pprof",
        .about = "Turn flight recordings into a profile for go tool pprof, with labels.",
        .examples = "  jfrkit convert -o app.pb.gz app.jfr # go tool pprof -http=: app.pb.gz\n"};

    return cli_output_main(&about, &format_pprof, argc, argv);
}
