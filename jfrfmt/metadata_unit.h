/* metadata_unit.h - what a number means, from its field's annotations. Private to jfrfmt. */
#ifndef JFRFMT_METADATA_UNIT_H
#define JFRFMT_METADATA_UNIT_H

#include "jfrfmt/metadata.h"

/* The unit that the first annotation to name one names. */
enum jfr_unit metadata_unit(const struct jfr_annotation *a, size_t n);

#endif
