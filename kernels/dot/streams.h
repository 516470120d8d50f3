/* How long arrays are read. Beyond the second-level cache a core waits at every new page, where its
   prefetchers stop and the address is to be translated; eight streams through each array, each in
   a page of its own, wait at the same time. */
#ifndef LEADLINE_DOT_STREAMS_H
#define LEADLINE_DOT_STREAMS_H

#include <stdint.h>

enum { kLeadlineLine = 8, kLeadlinePage = 512 }; /* elements */

/* Elements of each array: for less, one stream is faster. */
#define LEADLINE_STREAMS_FROM (INT64_C(1) << 19)

/* Elements of each of eight streams, with what little is left at the end for one. An eighth of a
   page more than whole pages: so streams come to the ends of their pages one after the other, and
   do not share one set of the first cache. */
static inline int64_t leadline_stream_elements(int64_t n) {
  return (n / 8 / kLeadlinePage - 1) * kLeadlinePage + kLeadlinePage / 8;
}

/* Elements before the first whole line of the cache: a load that straddles two lines costs two. */
static inline int64_t leadline_before_line(const double* x) {
  return (int64_t)(-((uintptr_t)x / sizeof *x) % kLeadlineLine);
}

#endif
