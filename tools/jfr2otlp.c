#include "tools/output/output.h"
#include "tools/programs.h"

int jfr2otlp_main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2otlp",
        .about = "Turn flight recordings into OpenTelemetry profiles (OTLP 1.10, protobuf).",
        .examples = "  jfrkit convert -o app.otlp app.jfr # POST it to /v1development/profiles\n"};

    return cli_output_main(&about, &format_otlp, argc, argv);
}
