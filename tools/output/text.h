/* text.h - the options of events as text, the same for print and follow. */
#ifndef TOOLS_OUTPUT_TEXT_H
#define TOOLS_OUTPUT_TEXT_H

#include "convert/print/text.h"
#include "tools/cli/cli.h"

struct cli_text {
    bool is_exact, is_one_line;
};

extern const struct cli_set cli_text_set;

/* Changes a style by the options. */
void cli_text_style(const struct cli_text *from, struct text_style *style);

#endif
