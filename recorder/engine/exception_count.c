#include "recorder/engine/exception_count.h"

_Atomic int64_t exception_count;
