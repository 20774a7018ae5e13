/* text.c - what the options of events as text mean. */
#include "tools/output/text.h"

#define AT(member) offsetof(struct cli_text, member)

static const struct cli_option text_rows[] = {
    {0, "exact", NULL, "all digits: 0.007470000 s, 1536 bytes", CLI_FLAG, AT(is_exact),
     .more = "Print numbers and times as text with all their digits.",
     .example = "jfrkit print --exact -e FileRead app.jfr"},
    {0, "oneline", NULL, "each event on one line", CLI_FLAG, AT(is_one_line),
     .more = "Print each event as text on one line: its time, its type, its fields, and the frame "
             "at the top of its stack trace; --stack-depth changes how many.",
     .example = "jfrkit print --oneline -e FileRead app.jfr"},
};

const struct cli_set cli_text_set = CLI_SET(NULL, text_rows, 0);

void cli_text_style(const struct cli_text *from, struct text_style *style)
{
    style->is_exact = from->is_exact;
    style->is_one_line = from->is_one_line;
    if (from->is_one_line)
        style->stack_depth = 1;
}
