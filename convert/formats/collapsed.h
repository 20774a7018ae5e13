/* collapsed.h - a profile as text: one stack per line, root first, frames joined by ';', then its
 * weight. */
#ifndef CONVERT_FORMATS_COLLAPSED_H
#define CONVERT_FORMATS_COLLAPSED_H

#include "convert/text/out.h"
#include "convert/profile/profile.h"

/* Writes all rows, sorted. 0, or the output's error. */
int collapsed_write(const struct profile *p, struct out *out);

#endif
