/*
 * flame.h - the flame-graph page: one HTML file that needs nothing else, made from a stack tree.
 *
 *     struct flame_options opt = {.title = "app.jfr", .kind = "cpu"};
 *     rc = flame_write(&tree, &opt, &out);
 *
 * The page is a constant skeleton with style and script (convert/page/) whose policy admits nothing
 * but their hashes, around the data: packed sections (pack.h), a JSON header with their
 * directory, and behind the script the same again for the samples, so that the graph can be seen
 * before they are read. Frame names stand in the sections only, so no name can become markup.
 *
 * The sections, each a column with one entry per name or per node, numbers as varints where not
 * told otherwise: names.keep, names.more, names.text   names in order: bytes shared with the name
 * before, bytes added, and these bytes tree.up      levels closed since the node before: depth =
 * depth of that + 1 - up tree.name    index of the name, in planes: the low bytes of all nodes,
 * then the next ones tree.type    a byte: 0 for the type that the node before of the same name had
 * (at first 0), else enum frame_type + 1 tree.self    weight of the samples that end here; these
 * three not in a page with facets tree.hidden  weight of the frames below that min_share left out;
 * only if it left out any tree.samples number of samples that end here; only if the tree has it A
 * reader skips sections it does not know. Same tree and options, same bytes.
 */
#ifndef CONVERT_FLAME_FLAME_H
#define CONVERT_FLAME_FLAME_H

#include "convert/flame/options.h"
#include "convert/text/out.h"
#include "convert/profile/tree.h"

/* Appends the page to *out; the caller flushes. 0, the error of `out`, or JFR_E_NOMEM. */
int flame_write(const struct tree *t, const struct flame_options *opt, struct out *out);

#endif
