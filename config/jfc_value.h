/* jfc_value.h - the syntax of values: which text a setting takes, and what it means. */
#ifndef CONFIG_JFC_VALUE_H
#define CONFIG_JFC_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* "20 ms", "20ms": whole numbers, units ns us ms s m h d; "infinity" is INT64_MAX. NULL and *ns, or
 * what is wrong with the text. */
const char *jfc_duration(const char *text, int64_t *ns);

/* "100/s", "5/m", "0/s": events and the time they belong to; "off" is INT64_MAX in 1 ns. NULL and
 * both values, or what is wrong. */
const char *jfc_rate(const char *text, int64_t *events, int64_t *per_ns);

/* What is wrong with the value of event#setting, or NULL. Settings of which nothing is known take
 * any text. *is_harmless: a warning will do. */
const char *jfc_value_wrong(const char *event, const char *setting, const char *value,
                            bool *is_harmless);

#endif
