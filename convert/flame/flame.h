/*
 * flame.h - the flame-graph page: one HTML file that needs nothing else, made from a stack tree.
 *
 *     struct flame_options opt = {.title = "app.jfr", .kind = "cpu"};
 *     rc = flame_write(&tree, &opt, &out);
 *
 * The page is a constant skeleton with style and script (convert/page/), whose policy admits only
 * what has their hashes. It holds the data in this order: packed sections (pack.h) with the tree, a
 * JSON header with the directory of the sections, the script, and further packed sections with the
 * samples. The graph is drawn before the samples are read. Frame names are in sections only, so no
 * name can become markup.
 *
 * Each section is a column with one entry per name or per node. Numbers are varints unless the list
 * says otherwise:
 *
 * - names.keep, names.more, names.text: the names, sorted. For each name the number of bytes that
 * it shares with the previous name, the number of bytes added, and these bytes.
 * - tree.up: levels closed since the previous node. depth = depth of that node + 1 - up.
 * - tree.name: index of the name, in planes: the low bytes of all nodes, then the next bytes.
 * - tree.type: a byte. 0: the type of the previous node with the same name (at first 0), else enum
 *   frame_type + 1.
 * - tree.self: weight of the samples that end here. This and the next two are not in a page with
 *   facets.
 * - tree.hidden: weight of the frames below that min_share left out; only if it left out any.
 * - tree.samples: number of samples that end here; only if the tree has it.
 *
 * A reader skips unknown sections. The same tree and options give the same bytes.
 */
#ifndef CONVERT_FLAME_FLAME_H
#define CONVERT_FLAME_FLAME_H

#include "convert/flame/options.h"
#include "convert/text/out.h"
#include "convert/profile/tree.h"

/* Appends the page to *out; the caller flushes. 0, the error of `out`, or JFR_E_NOMEM. */
int flame_write(const struct tree *t, const struct flame_options *opt, struct out *out);

#endif
