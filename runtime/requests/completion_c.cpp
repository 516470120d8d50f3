// What C programs call, and MPICH's Fortran but for module mpi_f08.
#include <type_traits>

#include "runtime/engine/interception.hpp"
#include "runtime/requests/completion.hpp"

namespace leadline::runtime {
namespace {

using Handle = MPI_Request;

decltype(PMPI_Start)* library_start = nullptr;
int start(Handle* handle) {
  const auto library = [](Handle* other) { return library_start(other); };
  if (Request::any()) [[unlikely]]
    return completion::start(handle, library);
  note_traffic();
  return library_start(handle);
}
const Interception of_start{"MPI_Start", start, library_start};

decltype(PMPI_Startall)* library_startall = nullptr;
int startall(int count, Handle* handles) {
  if (!Request::any()) [[likely]] {
    note_traffic();
    return library_startall(count, handles);
  }
  return completion::startall(
      count, handles, [](int others, Handle* other) { return library_startall(others, other); });
}
const Interception of_startall{"MPI_Startall", startall, library_startall};

decltype(PMPI_Request_free)* library_request_free = nullptr;
int request_free(Handle* handle) {
  if (!Request::any()) [[likely]]
    return library_request_free(handle);
  return completion::request_free(handle,
                                  [](Handle* other) { return library_request_free(other); });
}
const Interception of_request_free{"MPI_Request_free", request_free, library_request_free};

decltype(PMPI_Request_get_status)* library_request_get_status = nullptr;
int request_get_status(Handle handle, int* flag, MPI_Status* status) {
  if (!Request::any()) [[likely]]
    return library_request_get_status(handle, flag, status);
  return completion::request_get_status(
      handle, flag, [&](Handle other) { return library_request_get_status(other, flag, status); });
}
const Interception of_request_get_status{"MPI_Request_get_status", request_get_status,
                                         library_request_get_status};

decltype(PMPI_Wait)* library_wait = nullptr;
int wait(Handle* handle, MPI_Status* status) {
  if (!Request::any()) [[likely]]
    return library_wait(handle, status);
  return completion::wait(handle, [&](Handle* other) { return library_wait(other, status); });
}
const Interception of_wait{"MPI_Wait", wait, library_wait};

decltype(PMPI_Test)* library_test = nullptr;
int test(Handle* handle, int* flag, MPI_Status* status) {
  if (!Request::any()) [[likely]]
    return library_test(handle, flag, status);
  return completion::test(handle, flag,
                          [&](Handle* other) { return library_test(other, flag, status); });
}
const Interception of_test{"MPI_Test", test, library_test};

decltype(PMPI_Waitall)* library_waitall = nullptr;
int waitall(int count, Handle* handles, MPI_Status* statuses) {
  if (!Request::any()) [[likely]]
    return library_waitall(count, handles, statuses);
  return completion::waitall(count, handles, [&](int others, Handle* other) {
    return library_waitall(others, other, statuses);
  });
}
const Interception of_waitall{"MPI_Waitall", waitall, library_waitall};

decltype(PMPI_Testall)* library_testall = nullptr;
int testall(int count, Handle* handles, int* flag, MPI_Status* statuses) {
  if (!Request::any()) [[likely]]
    return library_testall(count, handles, flag, statuses);
  return completion::testall(count, handles, flag, [&](int others, Handle* other) {
    return library_testall(others, other, flag, statuses);
  });
}
const Interception of_testall{"MPI_Testall", testall, library_testall};

int testany_by(decltype(PMPI_Testany)* library, int count, Handle* handles, int* index, int* flag,
               MPI_Status* status) {
  return completion::testany(count, handles, index, flag, 0, [&](int others, Handle* other) {
    return library(others, other, index, flag, status);
  });
}

decltype(PMPI_Testany)* library_testany = nullptr;
int testany(int count, Handle* handles, int* index, int* flag, MPI_Status* status) {
  if (!Request::any()) [[likely]]
    return library_testany(count, handles, index, flag, status);
  return testany_by(library_testany, count, handles, index, flag, status);
}
const Interception of_testany{"MPI_Testany", testany, library_testany};

decltype(PMPI_Waitany)* library_waitany = nullptr;
int waitany(int count, Handle* handles, int* index, MPI_Status* status) {
  if (!Request::any()) [[likely]]
    return library_waitany(count, handles, index, status);
  return completion::waitany(
      count, handles, index, 0,
      [&](int others, Handle* other) { return library_waitany(others, other, index, status); },
      [&](int* flag) { return testany_by(PMPI_Testany, count, handles, index, flag, status); });
}
const Interception of_waitany{"MPI_Waitany", waitany, library_waitany};

void make_empty(MPI_Status* statuses, int index) {
  Handle none = MPI_REQUEST_NULL;
  if (statuses == MPI_STATUSES_IGNORE) return;
  PMPI_Wait(&none, &statuses[index]);
  statuses[index].MPI_ERROR = MPI_SUCCESS;
}

int testsome_by(decltype(PMPI_Testsome)* library, int count, Handle* handles, int* ended,
                int* indices, MPI_Status* statuses) {
  return completion::testsome(
      count, handles, ended, indices, 0,
      [&](int others, Handle* other) { return library(others, other, ended, indices, statuses); },
      [&](int index) { make_empty(statuses, index); });
}

decltype(PMPI_Testsome)* library_testsome = nullptr;
int testsome(int count, Handle* handles, int* ended, int* indices, MPI_Status* statuses) {
  if (!Request::any()) [[likely]]
    return library_testsome(count, handles, ended, indices, statuses);
  return testsome_by(library_testsome, count, handles, ended, indices, statuses);
}
const Interception of_testsome{"MPI_Testsome", testsome, library_testsome};

decltype(PMPI_Waitsome)* library_waitsome = nullptr;
int waitsome(int count, Handle* handles, int* ended, int* indices, MPI_Status* statuses) {
  if (!Request::any()) [[likely]]
    return library_waitsome(count, handles, ended, indices, statuses);
  return completion::waitsome(
      count, handles, ended, indices, 0,
      [&](int others, Handle* other) {
        return library_waitsome(others, other, ended, indices, statuses);
      },
      [&] { return testsome_by(PMPI_Testsome, count, handles, ended, indices, statuses); });
}
const Interception of_waitsome{"MPI_Waitsome", waitsome, library_waitsome};

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

// These leave all handles as they are.
// Intel MPI 2021 declares them without the standard's const.
using Looked = std::conditional_t<std::is_invocable_v<decltype(PMPI_Request_get_status_all), int,
                                                      const Handle*, int*, MPI_Status*>,
                                  const Handle, Handle>;

Handle* unchanged(Looked* handles) { return const_cast<Handle*>(handles); }

using completion::Found;

decltype(PMPI_Request_get_status_all)* library_get_status_all = nullptr;
int get_status_all(int count, Looked* handles, int* flag, MPI_Status* statuses) {
  if (!Request::any()) [[likely]]
    return library_get_status_all(count, handles, flag, statuses);
  return completion::testall<Found::kLeft>(
      count, unchanged(handles), flag, [&](int others, Looked* other) {
        return library_get_status_all(others, other, flag, statuses);
      });
}
const Interception of_get_status_all{"MPI_Request_get_status_all", get_status_all,
                                     library_get_status_all};

decltype(PMPI_Request_get_status_any)* library_get_status_any = nullptr;
int get_status_any(int count, Looked* handles, int* index, int* flag, MPI_Status* status) {
  if (!Request::any()) [[likely]]
    return library_get_status_any(count, handles, index, flag, status);
  return completion::testany<Found::kLeft>(
      count, unchanged(handles), index, flag, 0, [&](int others, Looked* other) {
        return library_get_status_any(others, other, index, flag, status);
      });
}
const Interception of_get_status_any{"MPI_Request_get_status_any", get_status_any,
                                     library_get_status_any};

decltype(PMPI_Request_get_status_some)* library_get_status_some = nullptr;
int get_status_some(int count, Looked* handles, int* found, int* indices, MPI_Status* statuses) {
  if (!Request::any()) [[likely]]
    return library_get_status_some(count, handles, found, indices, statuses);
  return completion::testsome<Found::kLeft>(
      count, unchanged(handles), found, indices, 0,
      [&](int others, Looked* other) {
        return library_get_status_some(others, other, found, indices, statuses);
      },
      [&](int index) { make_empty(statuses, index); });
}
const Interception of_get_status_some{"MPI_Request_get_status_some", get_status_some,
                                      library_get_status_some};
#endif

}  // namespace
}  // namespace leadline::runtime
