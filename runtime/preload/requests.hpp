// Functions that start, complete or free requests of any kind: X(Name, name, NAME, arguments).
#pragma once

#define LEADLINE_REQUEST_STARTS(X) \
  X(Start, start, START, 1)        \
  X(Startall, startall, STARTALL, 2)

#define LEADLINE_COMPLETIONS(X)                                    \
  X(Request_free, request_free, REQUEST_FREE, 1)                   \
  X(Request_get_status, request_get_status, REQUEST_GET_STATUS, 3) \
  X(Test, test, TEST, 3)                                           \
  X(Testall, testall, TESTALL, 4)                                  \
  X(Testany, testany, TESTANY, 5)                                  \
  X(Testsome, testsome, TESTSOME, 5)                               \
  X(Wait, wait, WAIT, 2)                                           \
  X(Waitall, waitall, WAITALL, 3)                                  \
  X(Waitany, waitany, WAITANY, 4)                                  \
  X(Waitsome, waitsome, WAITSOME, 5)

// Of MPI 4.1.
#define LEADLINE_NEW_COMPLETIONS(X)                                            \
  X(Request_get_status_all, request_get_status_all, REQUEST_GET_STATUS_ALL, 4) \
  X(Request_get_status_any, request_get_status_any, REQUEST_GET_STATUS_ANY, 5) \
  X(Request_get_status_some, request_get_status_some, REQUEST_GET_STATUS_SOME, 5)
