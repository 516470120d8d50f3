/* How many calls of collectives have reached the library on this rank. */
int calls_of_the_library(void);

/* Calls of the library by which leadline adopts communicators. */
int agreements(void);

/* How many of the non-blocking collectives that leadline may carry out have reached the library. */
int starts_of_nonblocking(void);

/* How many requests the library has been asked to start, one by one. */
int starts_of_the_library(void);
