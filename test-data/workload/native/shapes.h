/* shapes.h - stacks of many kinds, for a walk to be tried at each of their instructions. */
#ifndef SHAPES_H
#define SHAPES_H

#ifdef __cplusplus
extern "C" {
#endif

struct shape {
    const char *name;
    void (*run)(void); /* deterministic; some 10 000 to 300 000 instructions */
};

extern const struct shape c_shapes[], cxx_shapes[]; /* end with a name of NULL */

#ifdef __cplusplus
}
#endif

#endif
