#include "convert/json/internal.h"

const struct json_layout json_ndjson = {
    .name = "ndjson",
    .rules = JSON_RULES_OWN,
    .stack_depth = SIZE_MAX,
    .separator = "",
    .begin = "",
    .before = "",
    .after = "}\n",
    .end = "",
};
