/*
 * zgc.h - references in the heap of ZGC.
 *
 * ZGC keeps in each reference in the heap how far the collector had come when it was last loaded.
 * Code of the program loads references through a barrier, which brings them up to date. The walker
 * reads the heap without it, and finds references to places where objects were before they were
 * moved. These are looked up here, in the collector's own forwarding tables.
 *
 * Works for both forms of ZGC: the one without generations (JDK 11 to 23) and the generational one
 * (JDK 21 and later). Sources: the names in the VM's tables are those that the serviceability agent
 * reads; which table a reference needs follows from HotSpot's zBarrier.inline.hpp, and how tables
 * are searched from its zForwarding.inline.hpp.
 *
 * Threads: read only once opened. Signals: zgc_open() not; zgc_load() yes.
 */
#ifndef RECORDER_VM_ZGC_H
#define RECORDER_VM_ZGC_H

#include "recorder/vm/tables.h"

struct zgc {
    bool is_known; /* all that follows was found */
    bool is_generational;
    /* addresses of the collector's variables; the form with generations needs `shift`, the other
     * one bad_mask */
    uintptr_t good_mask, bad_mask, shift, offset_mask;
    uintptr_t tables[2]; /* addresses of forwarding tables: young, old; without generations the only
                            one */
    unsigned granule_shift;
    int32_t virtual_start, alignment_shift, length; /* offsets in a ZForwarding */
    size_t forwarding_size; /* its entries follow */
};

/* Finds them. `form` is the first letter of the collector's types: X where a release has both forms
 * and the one without generations is in use, otherwise Z. After the VM's initialisation. */
void zgc_open(struct zgc *z, const struct vm_tables *t, char form);

/* The address of the object that the reference at `address` in the heap leads to; 0 for null.
 * False: not readable, or where the object is could not be found. */
bool zgc_load(const struct zgc *z, uintptr_t address, uintptr_t *object);

#endif
