#include "recorder/exception_count.h"

_Atomic int64_t exception_count;
