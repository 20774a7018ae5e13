/* verbs.h - the verbs of jfrkit: their names, their groups on the first screen, their functions. */
#ifndef TOOLS_VERBS_H
#define TOOLS_VERBS_H

#include <stddef.h>

struct verb {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *group; /* title; set in the first verb of a group */
    const char *about; /* one line of at most 56 columns; NULL: the line of the verb before */
};

/* The verb with this number, in the order of the screen; NULL: there are no more. */
const struct verb *verb_at(size_t i);

/* The older name with this number, jfr2collapsed and so on; NULL: there are no more. */
const char *verb_older_name(size_t i);

/* Sets *program to the function of a verb, of another word for one, or of an older name, with or
 * without its "jfr2" or "jfr"; *shown to the name for messages ("jfrkit flame"), which
 * stays valid until the next call; NULL: the program's own. Returns 0, or -1 when there is no such
 * name. */
int verb_find(const char *name, int (**program)(int argc, char **argv), const char **shown);

/* The verbs that are not one of the older programs; as main(), from the verb on. */
int verb_convert(int argc, char **argv);
int verb_slow(int argc, char **argv);
int verb_push(int argc, char **argv);
int verb_print(int argc, char **argv);
int verb_follow(int argc, char **argv);
int verb_sql(int argc, char **argv);
int verb_top(int argc, char **argv);

/* The verb that was perhaps meant, or NULL. */
const char *verb_nearest(const char *name);

#endif
