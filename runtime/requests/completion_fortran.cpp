// What Fortran programs call where that does not come to C's functions: Open MPI's, and module
// mpi_f08 of MPICH's.
#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "runtime/fortran/arguments.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/requests/completion.hpp"

namespace leadline::runtime {
namespace {

using Handle = FortranRequest;
using Integer = MPI_Fint;
// Handed on as it is, whichever the language has for "none wanted".
using Status = void;

constexpr int kFirst = 1;

// The binding's function of this name, which goes on to what stands in for it here.
template <typename Function>
Function* in_fortran(const char* name) {
#if defined(OPEN_MPI)
  const std::string symbol = std::string("mpi_") + name + "_";
#else
  const std::string symbol = std::string("mpi_") + name + "_f08_";
#endif
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, symbol.c_str()));
}

// May be absent in mpi_f08.
class Error {
 public:
  explicit Error(Integer* wanted) : code_(wanted != nullptr ? wanted : &unwanted_) {}
  Integer* address() { return code_; }
  int code() const { return static_cast<int>(*code_); }
  void operator=(int code) { *code_ = static_cast<Integer>(code); }

 private:
  Integer unwanted_ = MPI_SUCCESS;
  Integer* code_;
};

void (*library_start)(Handle*, Integer*) = nullptr;
void start(Handle* handle, Integer* ierror) {
  if (!Request::any()) [[likely]] {
    note_traffic();
    return library_start(handle, ierror);
  }
  Error error(ierror);
  error = completion::start(handle, [&](Handle* other) {
    library_start(other, error.address());
    return error.code();
  });
}
const FortranInterceptions of_start{"start", start, library_start};

void (*library_startall)(Integer*, Handle*, Integer*) = nullptr;
void startall(Integer* count, Handle* handles, Integer* ierror) {
  if (!Request::any()) [[likely]] {
    note_traffic();
    return library_startall(count, handles, ierror);
  }
  Error error(ierror);
  error = completion::startall(static_cast<int>(*count), handles, [&](Integer others, Handle* all) {
    library_startall(&others, all, error.address());
    return error.code();
  });
}
const FortranInterceptions of_startall{"startall", startall, library_startall};

void (*library_request_free)(Handle*, Integer*) = nullptr;
void request_free(Handle* handle, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_request_free(handle, ierror);
  Error error(ierror);
  error = completion::request_free(handle, [&](Handle* other) {
    library_request_free(other, error.address());
    return error.code();
  });
}
const FortranInterceptions of_request_free{"request_free", request_free, library_request_free};

void (*library_request_get_status)(Handle*, Integer*, Status*, Integer*) = nullptr;
void request_get_status(Handle* handle, Integer* flag, Status* status, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_request_get_status(handle, flag, status, ierror);
  Error error(ierror);
  error = completion::request_get_status(*handle, flag, [&](Handle other) {
    library_request_get_status(&other, flag, status, error.address());
    return error.code();
  });
}
const FortranInterceptions of_request_get_status{"request_get_status", request_get_status,
                                                 library_request_get_status};

void (*library_wait)(Handle*, Status*, Integer*) = nullptr;
void wait(Handle* handle, Status* status, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_wait(handle, status, ierror);
  Error error(ierror);
  error = completion::wait(handle, [&](Handle* other) {
    library_wait(other, status, error.address());
    return error.code();
  });
}
const FortranInterceptions of_wait{"wait", wait, library_wait};

void (*library_test)(Handle*, Integer*, Status*, Integer*) = nullptr;
void test(Handle* handle, Integer* flag, Status* status, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_test(handle, flag, status, ierror);
  Error error(ierror);
  error = completion::test(handle, flag, [&](Handle* other) {
    library_test(other, flag, status, error.address());
    return error.code();
  });
}
const FortranInterceptions of_test{"test", test, library_test};

void (*library_waitall)(Integer*, Handle*, Status*, Integer*) = nullptr;
void waitall(Integer* count, Handle* handles, Status* statuses, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_waitall(count, handles, statuses, ierror);
  Error error(ierror);
  error = completion::waitall(static_cast<int>(*count), handles, [&](Integer others, Handle* all) {
    library_waitall(&others, all, statuses, error.address());
    return error.code();
  });
}
const FortranInterceptions of_waitall{"waitall", waitall, library_waitall};

void (*library_testall)(Integer*, Handle*, Integer*, Status*, Integer*) = nullptr;
void testall(Integer* count, Handle* handles, Integer* flag, Status* statuses, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_testall(count, handles, flag, statuses, ierror);
  Error error(ierror);
  const auto library = [&](Integer others, Handle* all) {
    library_testall(&others, all, flag, statuses, error.address());
    return error.code();
  };
  error = completion::testall(static_cast<int>(*count), handles, flag, library);
}
const FortranInterceptions of_testall{"testall", testall, library_testall};

using Testany = void(Integer*, Handle*, Integer*, Integer*, Status*, Integer*);
Testany* library_testany = nullptr;
void testany(Integer* count, Handle* handles, Integer* index, Integer* flag, Status* status,
             Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_testany(count, handles, index, flag, status, ierror);
  Error error(ierror);
  const auto library = [&](Integer others, Handle* all) {
    library_testany(&others, all, index, flag, status, error.address());
    return error.code();
  };
  error = completion::testany(static_cast<int>(*count), handles, index, flag, kFirst, library);
}
const FortranInterceptions of_testany{"testany", testany, library_testany};

void (*library_waitany)(Integer*, Handle*, Integer*, Status*, Integer*) = nullptr;
void waitany(Integer* count, Handle* handles, Integer* index, Status* status, Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_waitany(count, handles, index, status, ierror);
  Error error(ierror);
  const auto library = [&](Integer others, Handle* all) {
    library_waitany(&others, all, index, status, error.address());
    return error.code();
  };
  static Testany* const test = in_fortran<Testany>("testany");
  error = completion::waitany(static_cast<int>(*count), handles, index, kFirst, library,
                              [&](Integer* flag) {
                                test(count, handles, index, flag, status, error.address());
                                return error.code();
                              });
}
const FortranInterceptions of_waitany{"waitany", waitany, library_waitany};

// Of a status, in integers. Open MPI 4 has no constant for it; there it is C's status.
#if defined(OPEN_MPI)
constexpr std::size_t kStatus = sizeof(MPI_Status) / sizeof(Integer);
#else
constexpr std::size_t kStatus = MPI_F_STATUS_SIZE;
#endif

void make_empty(Status* statuses, int index) {
  static auto* const wait_in_fortran = in_fortran<void(Handle*, Status*, Integer*)>("wait");
  if (statuses == fortran_constants().statuses_ignore) return;
  auto none = no_request<Handle>();
  Integer unwanted = MPI_SUCCESS;
  auto* const status = static_cast<Integer*>(statuses) + static_cast<std::size_t>(index) * kStatus;
  wait_in_fortran(&none, status, &unwanted);
}

using Testsome = void(Integer*, Handle*, Integer*, Integer*, Status*, Integer*);
Testsome* library_testsome = nullptr;
void testsome(Integer* count, Handle* handles, Integer* ended, Integer* indices, Status* statuses,
              Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_testsome(count, handles, ended, indices, statuses, ierror);
  Error error(ierror);
  const auto library = [&](Integer others, Handle* all) {
    library_testsome(&others, all, ended, indices, statuses, error.address());
    return error.code();
  };
  error = completion::testsome(static_cast<int>(*count), handles, ended, indices, kFirst, library,
                               [&](int index) { make_empty(statuses, index); });
}
const FortranInterceptions of_testsome{"testsome", testsome, library_testsome};

Testsome* library_waitsome = nullptr;
void waitsome(Integer* count, Handle* handles, Integer* ended, Integer* indices, Status* statuses,
              Integer* ierror) {
  if (!Request::any()) [[likely]]
    return library_waitsome(count, handles, ended, indices, statuses, ierror);
  Error error(ierror);
  const auto library = [&](Integer others, Handle* all) {
    library_waitsome(&others, all, ended, indices, statuses, error.address());
    return error.code();
  };
  static auto* const test = in_fortran<Testsome>("testsome");
  error =
      completion::waitsome(static_cast<int>(*count), handles, ended, indices, kFirst, library, [&] {
        test(count, handles, ended, indices, statuses, error.address());
        return error.code();
      });
}
const FortranInterceptions of_waitsome{"waitsome", waitsome, library_waitsome};

}  // namespace
}  // namespace leadline::runtime
