// MPI's functions that start, complete and free requests, for programs of any language.
//
// Each takes the program's arguments as far as leadline reads them, and what calls the library's
// own function with another handle, or other handles, in the place of the program's. A request of
// leadline's is completed here, and the library given MPI_REQUEST_NULL in its place: so the library
// itself writes statuses, flags and indices, as the language has them.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/preload/noted.hpp"
#include "runtime/requests/request.hpp"

namespace leadline::runtime {

// A handle as Fortran has it; C's is MPI's own type.
struct FortranRequest {
  MPI_Fint number;
};

inline MPI_Request in_c(MPI_Request handle) { return handle; }
inline MPI_Request in_c(FortranRequest handle) { return PMPI_Request_f2c(handle.number); }

template <typename Handle>
Handle no_request();
template <>
inline MPI_Request no_request() {
  return MPI_REQUEST_NULL;
}
template <>
inline FortranRequest no_request() {
  return {.number = PMPI_Request_c2f(MPI_REQUEST_NULL)};
}

template <typename Handle>
Request* found(const Handle& handle) {
  return Request::find(in_c(handle));
}

// Ends one of leadline's own, of which the program has the handle.
template <typename Handle>
void end(Request& request, Handle& handle) {
  const bool used_once = request.is_used_once();
  request.end();
  if (used_once) handle = no_request<Handle>();
}

inline std::uint64_t now_if_reporting() { return kReporting ? ticks() : 0; }

inline void note_traffic() {
  if (!leadline_traffic.load(std::memory_order_relaxed)) {
    leadline_traffic.store(true, std::memory_order_relaxed);
  }
}

// Requests of an array, of which some are leadline's.
template <typename Handle>
class Requests {
 public:
  Requests(int count, Handle* handles) : handles_(handles), others_(handles, handles + count) {
    for (int i = 0; i < count; ++i) {
      Request* const request = found(handles[i]);
      requests_.push_back(request);
      if (request == nullptr) continue;
      any_ = true;
      if (!request->is_own()) continue;
      others_[static_cast<std::size_t>(i)] = no_request<Handle>();
      any_active_ = any_active_ || request->is_active();
    }
  }

  // Whether any is leadline's, or counted by it.
  bool any() const { return any_; }
  // Whether one of leadline's own has been started.
  bool any_active() const { return any_active_; }
  int count() const { return static_cast<int>(requests_.size()); }
  // nullptr: it is not leadline's own, or not active.
  Request* own(int index) const {
    Request* const request = requests_[static_cast<std::size_t>(index)];
    return request != nullptr && request->is_own() && request->is_active() ? request : nullptr;
  }
  bool all_arrived() const {
    for (int i = 0; i < count(); ++i) {
      if (own(i) != nullptr && !own(i)->arrived()) return false;
    }
    return true;
  }
  int first_arrived() const {
    for (int i = 0; i < count(); ++i) {
      if (own(i) != nullptr && own(i)->arrived()) return i;
    }
    return -1;
  }
  int complete_all(bool ends = true) {
    int code = MPI_SUCCESS;
    for (int i = 0; i < count(); ++i) {
      if (own(i) == nullptr) continue;
      const int of_this = own(i)->complete();
      if (ends) end_own(i);
      if (code == MPI_SUCCESS) code = of_this;
    }
    return code;
  }

  // Others may have one that is used once at the moment when it has ended.
  void end_own(int index) {
    Request*& request = requests_[static_cast<std::size_t>(index)];
    Request* const ended = request->is_used_once() ? std::exchange(request, nullptr) : request;
    end(*ended, handles_[index]);
  }

  // For the library, which writes them: the others' handles.
  Handle* others() { return others_.data(); }
  // What the library made of them.
  void put_back() const {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == nullptr || !requests_[i]->is_own()) handles_[i] = others_[i];
    }
  }
  // The library has completed these, in a call that began so. MPICH 4.0.2 counts requests from 0 in
  // mpi_f08, so that an index may lie before them.
  void ended(const std::vector<int>& indices, std::uint64_t begin) const {
    if (!kReporting) return;
    std::vector<Request*> counted;
    for (const int index : indices) {
      if (index < 0 || index >= count()) continue;
      Request* const request = requests_[static_cast<std::size_t>(index)];
      const bool is = request != nullptr && !request->is_own() && request->is_active();
      if (is) counted.push_back(request);
    }
    for (Request* request : counted) request->ended((ticks() - begin) / counted.size());
  }
  void all_ended(std::uint64_t begin) const {
    std::vector<int> all(requests_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    ended(all, begin);
  }

 private:
  Handle* handles_;
  std::vector<Handle> others_;
  std::vector<Request*> requests_;
  bool any_ = false;
  bool any_active_ = false;
};

namespace completion {

template <typename Handle, typename Library>
int start(Handle* handle, const Library& library) {
  Request* const request = found(*handle);
  if (request != nullptr && request->is_own()) return request->start();
  note_traffic();
  const std::uint64_t begin = now_if_reporting();
  const int code = library(handle);
  if (request != nullptr && code == MPI_SUCCESS) request->started(now_if_reporting() - begin);
  return code;
}

// `library(count, handles)`.
template <typename Handle, typename Library>
int startall(int count, Handle* handles, const Library& library) {
  std::vector<Handle> others;
  int code = MPI_SUCCESS;
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i) {
    Request* const request = found(handles[i]);
    if (request != nullptr && request->is_own()) {
      code = request->start();
    } else {
      others.push_back(handles[i]);
    }
  }
  if (code != MPI_SUCCESS || (others.empty() && count > 0)) return code;
  note_traffic();
  const std::uint64_t begin = now_if_reporting();
  // A wrong count is the library's to complain about.
  const int of_others = count > 0 ? static_cast<int>(others.size()) : count;
  code = library(of_others, count > 0 ? others.data() : handles);
  for (const Handle& other : others) {
    Request* const request = found(other);
    if (request != nullptr) request->started((now_if_reporting() - begin) / others.size());
  }
  return code;
}

template <typename Handle, typename Library>
int request_free(Handle* handle, const Library& library) {
  Request::remove(in_c(*handle));
  return library(handle);
}

template <typename Handle, typename Library>
int wait(Handle* handle, const Library& library) {
  Request* const request = found(*handle);
  const std::uint64_t begin = now_if_reporting();
  if (request == nullptr || !request->is_own()) {
    const int code = library(handle);
    if (request != nullptr && request->is_active()) request->ended(now_if_reporting() - begin);
    return code;
  }
  const int code = request->complete();
  end(*request, *handle);
  Handle none = no_request<Handle>();
  const int of_status = library(&none);
  return code != MPI_SUCCESS ? code : of_status;
}

// `library(handle)` sets the flag. In Fortran, too, 0 is false.
template <typename Handle, typename Library>
int test(Handle* handle, int* flag, const Library& library) {
  Request* const request = found(*handle);
  const std::uint64_t begin = now_if_reporting();
  if (request == nullptr || !request->is_own()) {
    const int code = library(handle);
    const bool ended = request != nullptr && request->is_active() && *flag != 0;
    if (ended) request->ended(now_if_reporting() - begin);
    return code;
  }
  if (!request->arrived()) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int code = request->complete();
  end(*request, *handle);
  Handle none = no_request<Handle>();
  const int of_status = library(&none);
  return code != MPI_SUCCESS ? code : of_status;
}

// As test, but that the request stays as it is. `library(handle)`.
template <typename Handle, typename Library>
int request_get_status(Handle handle, int* flag, const Library& library) {
  Request* const request = found(handle);
  if (request == nullptr || !request->is_own()) return library(handle);
  if (!request->arrived()) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int code = request->complete();
  const int of_status = library(no_request<Handle>());
  return code != MPI_SUCCESS ? code : of_status;
}

template <typename Handle, typename Library>
int waitall(int count, Handle* handles, const Library& library) {
  Requests<Handle> requests(std::max(count, 0), handles);
  if (!requests.any()) return library(count, handles);
  const int code = requests.complete_all();
  const std::uint64_t begin = now_if_reporting();
  const int of_others = library(count, requests.others());
  requests.put_back();
  requests.all_ended(begin);
  return code != MPI_SUCCESS ? code : of_others;
}

// Whether requests that are found complete become inactive, or the program only asks for their
// status (MPI 4.1, section 3.7.6).
enum class Found { kEnded, kLeft };

template <Found kFound = Found::kEnded, typename Handle, typename Library>
int testall(int count, Handle* handles, int* flag, const Library& library) {
  Requests<Handle> requests(std::max(count, 0), handles);
  if (!requests.any()) return library(count, handles);
  if (!requests.all_arrived()) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const std::uint64_t begin = now_if_reporting();
  const int of_others = library(count, requests.others());
  if (kFound == Found::kEnded) requests.put_back();
  if (*flag == 0) return of_others;
  const int code = requests.complete_all(kFound == Found::kEnded);
  if (kFound == Found::kEnded) requests.all_ended(begin);
  return code != MPI_SUCCESS ? code : of_others;
}

// `first` is the number of the first request: 1 in Fortran. `library(count, handles)` sets the
// index and the flag.
template <Found kFound = Found::kEnded, typename Handle, typename Library>
int testany(int count, Handle* handles, int* index, int* flag, int first, const Library& library) {
  Requests<Handle> requests(std::max(count, 0), handles);
  if (!requests.any()) return library(count, handles);
  // In turn, so that neither keeps the others waiting.
  static thread_local bool own_first = false;
  own_first = !own_first;
  const auto of_own = [&](int& code) {
    const int arrived = requests.first_arrived();
    if (arrived < 0) return false;
    code = requests.own(arrived)->complete();
    if (kFound == Found::kEnded) requests.end_own(arrived);
    Handle none = no_request<Handle>();
    const int of_status = library(1, &none);
    *index = arrived + first;
    if (code == MPI_SUCCESS) code = of_status;
    return true;
  };
  int code = MPI_SUCCESS;
  if (own_first && of_own(code)) return code;
  const std::uint64_t begin = now_if_reporting();
  code = library(count, requests.others());
  if (kFound == Found::kEnded) requests.put_back();
  const bool any = *flag != 0 && *index != MPI_UNDEFINED;
  if (any && kFound == Found::kEnded) requests.ended({*index - first}, begin);
  if (any || code != MPI_SUCCESS || !requests.any_active()) return code;
  if (!own_first && of_own(code)) return code;
  *flag = 0;
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// `library(count, handles)` sets the number of those that ended, and writes indices and statuses.
// `empty_status(i)` makes the i-th status that of a request that is not active.
template <Found kFound = Found::kEnded, typename Handle, typename Library, typename EmptyStatus>
int testsome(int count, Handle* handles, int* ended, int* indices, int first,
             const Library& library, const EmptyStatus& empty_status) {
  Requests<Handle> requests(std::max(count, 0), handles);
  if (!requests.any()) return library(count, handles);
  const std::uint64_t begin = now_if_reporting();
  int code = library(count, requests.others());
  if (kFound == Found::kEnded) requests.put_back();
  const bool none_active = *ended == MPI_UNDEFINED;
  if (none_active) *ended = 0;
  std::vector<int> of_library(indices, indices + std::max(*ended, 0));
  for (int& index : of_library) index -= first;
  if (kFound == Found::kEnded) requests.ended(of_library, begin);
  for (int i = 0; i < requests.count(); ++i) {
    if (requests.own(i) == nullptr || !requests.own(i)->arrived()) continue;
    const int of_this = requests.own(i)->complete();
    if (kFound == Found::kEnded) requests.end_own(i);
    if (code == MPI_SUCCESS) code = of_this;
    indices[*ended] = i + first;
    empty_status(*ended);
    ++*ended;
  }
  if (none_active && !requests.any_active()) *ended = MPI_UNDEFINED;
  return code;
}

// Waiting for some of several is testing again and again, where one of leadline's is among them:
// `test()` returns an error code, and `ended()` whether that found one.
template <typename Test, typename Ended>
int test_until(const Test& test, const Ended& ended) {
  // Others may need this core to get there.
  constexpr unsigned kPatience = 16;
  for (unsigned tests = 1; true; ++tests) {
    const int code = test();
    if (code != MPI_SUCCESS || ended()) return code;
    if (tests % kPatience == 0) sched_yield();
  }
}

// `test(flag)` is testany of the same language with the program's arguments.
template <typename Handle, typename Library, typename Test>
int waitany(int count, Handle* handles, const int* index, int first, const Library& library,
            const Test& test) {
  Requests<Handle> requests(std::max(count, 0), handles);
  if (!requests.any()) return library(count, handles);
  if (requests.any_active()) {
    int flag = 0;
    return test_until([&] { return test(&flag); }, [&] { return flag != 0; });
  }
  const std::uint64_t begin = now_if_reporting();
  const int code = library(count, requests.others());
  requests.put_back();
  if (*index != MPI_UNDEFINED) requests.ended({*index - first}, begin);
  return code;
}

// `test()` is testsome of the same language with the program's arguments.
template <typename Handle, typename Library, typename Test>
int waitsome(int count, Handle* handles, const int* ended, const int* indices, int first,
             const Library& library, const Test& test) {
  Requests<Handle> requests(std::max(count, 0), handles);
  if (!requests.any()) return library(count, handles);
  if (requests.any_active()) {
    return test_until(test, [&] { return *ended != 0; });
  }
  const std::uint64_t begin = now_if_reporting();
  const int code = library(count, requests.others());
  requests.put_back();
  std::vector<int> all(indices, indices + std::max(*ended, 0));
  for (int& each : all) each -= first;
  requests.ended(all, begin);
  return code;
}

}  // namespace completion
}  // namespace leadline::runtime
