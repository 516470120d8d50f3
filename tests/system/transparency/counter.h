/* How many calls of collectives have reached the library on this rank. */
int calls_of_the_library(void);

/* Calls of the library by which leadline adopts communicators. */
int agreements(void);
