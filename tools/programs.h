/*
 * programs.h - the programs that jfrkit consists of.
 *
 * Each is also known by the name under which it used to be installed; links of these names are made
 * beside jfrkit. A program accepts main()'s arguments from its own name on and returns the exit
 * code.
 */
#ifndef TOOLS_PROGRAMS_H
#define TOOLS_PROGRAMS_H

#define PROGRAMS(X)   \
    X(jfr2collapsed)  \
    X(jfr2csv)        \
    X(jfr2firefox)    \
    X(jfr2flame)      \
    X(jfr2json)       \
    X(jfr2otlp)       \
    X(jfr2parquet)    \
    X(jfr2pprof)      \
    X(jfr2speedscope) \
    X(jfr2table)      \
    X(jfr2trace)      \
    X(jfrannotate) X(jfrcat) X(jfrcut) X(jfrdiff) X(jfrec) X(jfrmeta) X(jfrsummary) X(jfrview)

#define PROGRAM_MAIN(name) int name##_main(int argc, char **argv);
PROGRAMS(PROGRAM_MAIN)
#undef PROGRAM_MAIN

#endif
