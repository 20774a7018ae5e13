/* metadata_internal.h - what a number means, from its field's annotations. Private to jfrfmt. */
#ifndef JFRFMT_READ_METADATA_INTERNAL_H
#define JFRFMT_READ_METADATA_INTERNAL_H

#include "jfrfmt/read/metadata.h"

/* The unit that the first annotation to name one names. */
enum jfr_unit metadata_unit(const struct jfr_annotation *a, size_t n);

#endif
