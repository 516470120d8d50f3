/* Included first in all that is recorded: its memcpy is counted, and copies nothing. The messages
 * of these programs depend on no data, so there are none, only addresses. */
#include <stddef.h>

#ifdef __cplusplus
extern "C"
#endif
    void* memcpy(void* __restrict to, const void* __restrict from, size_t bytes)
#ifdef __cplusplus
        noexcept(true)
#endif
            __asm__("leadline_recorded_copy");
