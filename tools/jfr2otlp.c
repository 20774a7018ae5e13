#include "tools/cli/output.h"

int main(int argc, char **argv)
{
    static const struct cli_output_about about = {
        .name = "jfr2otlp",
        .about = "Turn flight recordings into OpenTelemetry profiles (OTLP 1.10, protobuf).",
        .footer = "  jfr2otlp -o app.otlp app.jfr                # a collector takes it at\n"
                  "                                              # /v1development/profiles\n"};

    return cli_output_main(&about, &format_otlp, argc, argv);
}
