#include "convert/json/internal.h"

/* The JDK tool's own text: a blank after every comma, no newline at the end. */
const struct json_layout json_jdk = {
    .name = "jdk",
    .rules = JSON_RULES_25,
    .is_pretty = true,
    .stack_depth = 5,
    .level = 4,
    .separator = ", ",
    .begin = "{\n  \"recording\": {\n    \"events\": [",
    .before = ", ",
    .after = "\n    }",
    .end = "]\n  }\n}",
};
