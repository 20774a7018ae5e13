/* jfc_known.h - names of events and settings that exist, and the one that was perhaps meant. */
#ifndef CONFIG_JFC_KNOWN_H
#define CONFIG_JFC_KNOWN_H

#include <stdbool.h>

/* What to say about a name: is it worth a warning, and is there a better one? */
struct jfc_guess {
    bool is_odd;
    const char *prefix, *meant; /* the better name in two parts; meant == NULL: there is none */
};

/* Events of JDK 11 to 25 and of profilers are known. One that is not is odd when it begins with
 * jdk. or is nearly a known one, perhaps without its prefix; anything else is an application's. */
struct jfc_guess jfc_guess_event(const char *event);

/* The same for a setting of an event. Applications' events may have settings of their own. */
struct jfc_guess jfc_guess_setting(const char *event, const char *setting);

/* How far two names are apart: letters added, left out, changed, or swapped with their neighbour;
 * case does not count. Right up to `most`; more than that when it is more. */
unsigned jfc_distance(const char *a, const char *b, unsigned most);

#endif
