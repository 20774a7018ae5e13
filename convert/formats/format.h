/*
 * format.h - the formats that profiles can be written in: one file per format, one table.
 *
 *     const struct format *f = format_named("pprof");
 *     f->is_labelled: makes f->measures of a struct measures (convert/profile/measures.h)
 *     else:           f->profile of a finished struct profile
 *
 * A format appends to `out` and calls out_check(); the caller flushes. It never filters, and the
 * same input gives the same bytes. Results: 0, the error of `out`, or JFR_E_NOMEM.
 */
#ifndef CONVERT_FORMATS_FORMAT_H
#define CONVERT_FORMATS_FORMAT_H

#include "convert/profile/measures.h"
#include "convert/text/out.h"
#include "convert/profile/profile.h"

#define FORMAT_JOBS 2

struct format {
    const char *name;
    const char *suffix; /* of files: ".pb.gz" */
    const char *opened; /* by which tools, for the list of formats; NULL: see tools/convert.c */
    bool is_binary; /* not for a terminal */
    bool is_labelled; /* shows threads, states and contexts as labels, not as frames */
    bool is_single; /* labelled: of one kind and weight only */
    int (*profile)(const struct profile *p, struct out *out);
    int (*measures)(const struct measures *m, struct out *out);
    /* A format that gathers for itself: neither profile nor measures, is_labelled. open() makes its
     * state (NULL if out of memory), jobs() fills in at most FORMAT_JOBS that fill it,
     * write() is called once after the run, is_empty() after that. */
    void *(*open)(const struct profile_options *opt);
    size_t (*jobs)(void *state, struct run_job *jobs);
    int (*write)(void *state, struct out *out);
    bool (*is_empty)(const void *state);
    void (*close)(void *state); /* NULL is allowed */
};

/* All of them. Each is a file of this folder that defines format_NAME. */
#define FORMATS(F) \
    F(collapsed) F(flame) F(pprof) F(otlp) F(speedscope) F(firefox) F(csv) F(d3) F(nested_set)

#define FORMAT_DECLARE(name) extern const struct format format_##name;
FORMATS(FORMAT_DECLARE)
#undef FORMAT_DECLARE

/* The format's own name for an alias ("perfetto" is "trace"); `name` itself if it is no alias. Also
 * resolves names of formats that are not in this table but have a program of their own (trace). The
 * result lives as long as `name`. */
const char *format_own_name(const char *name);

/* The format with this name or alias. NULL if there is none. */
const struct format *format_named(const char *name);

/* All, in the order of the list of names; NULL after the last one. */
const struct format *const *format_list(void);

/* "collapsed, html, pprof ...", for messages. */
const char *format_names(void);

#endif
