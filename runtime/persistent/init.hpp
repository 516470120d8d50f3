// A function that makes a persistent collective, with leadline's in the place of the library's own
// (MPI 4.1, section 6.13).
//
// The library's own is always made: its handle is what the program holds. Leadline carries it out
// where the profile, or what was learnt, has the blocking collective in shared memory for data of
// this size, and all ranks can. They vote on that here: buffers, types and counts stay the same as
// long as the request lives.
#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "algorithms/node/persistent.hpp"
#include "algorithms/node_mpi/node_mpi.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"
#include "runtime/engine/adopted.hpp"
#include "runtime/engine/device_memory.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/engine/replacement.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/report/site.hpp"
#include "runtime/requests/blocking.hpp"
#include "runtime/requests/request.hpp"

namespace leadline::runtime {

// What a rank hands to the others at most, and what one reads of all others: more is left to the
// library, which does not have each rank read everything.
inline constexpr std::size_t kMostGiven = std::size_t{64} << 10;
inline constexpr std::size_t kMostRead = std::size_t{512} << 10;
// So many of leadline's own at a time: each has shared memory of its own.
inline constexpr int kMostRequests = 1024;

// Collective: whether all ranks `can`, and have the same `bytes`.
bool all_prepare(const Adopted& adopted, bool can, std::size_t bytes);
// Why the communicator or the size is left to the library; nullptr: it is not.
const char* doubt_about_persistent(Adopted& adopted, const Blocking& blocking, std::size_t bytes,
                                   std::size_t given);
// Collective. Memory for the ranks; none on all of them where it cannot be had.
node::Persistent::Ranks map_persistent(const Adopted& adopted, std::size_t given);

// `Collective` has, for the arguments up to the communicator:
//   static Weight weigh(const Adopted&, arguments...)   as of the blocking collective
//   static std::size_t given(int ranks, std::size_t bytes)
//   static std::unique_ptr<node::Persistent> make(Ranks, Service, bytes, arguments...)
template <typename Collective, typename Function>
class PersistentInit;

template <typename Collective, typename... Arguments>
class PersistentInit<Collective, int(Arguments...)> {
 public:
  // The report calls it `name`, such as "allreduce_init"; it stands in for `function`, and follows
  // the rules of `blocking`.
  PersistentInit(const char* name, std::string_view function, std::string_view blocking)
      : interception_(function, call, library_),
        fortran_interceptions_(name, in_fortran, fortran_) {
    name_ = name;
    blocking_ = blocking;
  }

  // `pass_on()` calls the library's own, and `handle()` says which request it has made then.
  template <typename PassOn, typename MadeHandle>
  static int carry_out(const void* site, const PassOn& pass_on, const MadeHandle& handle, bool fits,
                       Arguments... arguments) {
    const MPI_Comm comm = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    Adopted* const adopted = Adopted::at_once(comm);
    const int code = pass_on();
    Weight weight;
    std::unique_ptr<node::Persistent> own;
    if (adopted == nullptr) {
      weight.doubt = Adopted::why_not(comm);
    } else {
      weight = fits ? Collective::weigh(*adopted, arguments...) : Weight{.doubt = "2 GiB or more"};
      if ((is_in_device_memory(arguments) || ...)) weight.doubt = "device memory";
      own = make(*adopted, weight, code == MPI_SUCCESS, arguments...);
    }
    if (code == MPI_SUCCESS && (own != nullptr || kReporting)) {
      const Call described = describe_request(name_, adopted, comm, weight);
      // Found now: when it ends, the program is elsewhere.
      if (kReporting) site = site_in_program(site);
      Request::add(handle(), std::make_unique<Request>(std::move(own), described, site));
    }
    return code;
  }

 private:
  // Collective. Says in `weight` why there is none.
  static std::unique_ptr<node::Persistent> make(Adopted& adopted, Weight& weight, bool can,
                                                Arguments... arguments) {
    const std::size_t given = Collective::given(adopted.size(), weight.bytes);
    if (weight.doubt == nullptr) {
      static const Blocking blocking(blocking_);
      weight.doubt = doubt_about_persistent(adopted, blocking, weight.bytes, given);
    }
    // Ranks on several nodes, and those that nothing was measured for, all know that.
    can = can && weight.doubt == nullptr;
    if (!all_prepare(adopted, can, weight.bytes)) {
      if (weight.doubt == nullptr) weight.doubt = "not on all ranks";
      return nullptr;
    }
    node::Persistent::Ranks ranks = map_persistent(adopted, given);
    if (ranks.segment.empty()) {
      weight.doubt = "no shared memory";
      return nullptr;
    }
    node::Service service(node::progress_for_good(), adopted.shared()->node().yields_soon());
    return Collective::make(std::move(ranks), std::move(service), weight.bytes, arguments...);
  }

  template <typename Argument>
  static bool is_in_device_memory(const Argument& argument) {
    if constexpr (std::is_same_v<Argument, void*> || std::is_same_v<Argument, const void*>) {
      return may_have_device_memory() && argument != nullptr && argument != MPI_IN_PLACE &&
             is_device_memory(argument);
    }
    return false;
  }

  static int call(Arguments... arguments, MPI_Info info, MPI_Request* request) {
    return carry_out(
        __builtin_return_address(0), [&] { return library_(arguments..., info, request); },
        [&] { return *request; }, true, arguments...);
  }

  static void in_fortran(typename FromFortran<Arguments>::Type... arguments, MPI_Fint* info,
                         MPI_Fint* request, MPI_Fint* ierror) {
    if (!fortran_constants_known()) return fortran_(arguments..., info, request, ierror);
    MPI_Fint unwanted = MPI_SUCCESS;
    MPI_Fint& code = ierror != nullptr ? *ierror : unwanted;
    const auto pass_on = [&] {
      fortran_(arguments..., info, request, &code);
      return static_cast<int>(code);
    };
    code = carry_out(
        __builtin_return_address(0), pass_on, [&] { return PMPI_Request_f2c(*request); }, true,
        FromFortran<Arguments>::value(arguments)...);
  }

  inline static int (*library_)(Arguments..., MPI_Info, MPI_Request*) = nullptr;
  inline static void (*fortran_)(typename FromFortran<Arguments>::Type..., MPI_Fint*, MPI_Fint*,
                                 MPI_Fint*) = nullptr;
  inline static const char* name_ = nullptr;
  inline static std::string_view blocking_;
  const Interception interception_;
  const FortranInterceptions fortran_interceptions_;
};

// The function of MPI 4 whose counts are MPI_Count. `Small` is the PersistentInit of the other one.
template <typename Small, typename Large>
class LargePersistentInit;

template <typename Collective, typename... Arguments, typename... Large>
class LargePersistentInit<PersistentInit<Collective, int(Arguments...)>, int(Large...)> {
 public:
  explicit LargePersistentInit(std::string_view function)
      : interception_(function, call, library_) {}

 private:
  static constexpr std::size_t kRequest = sizeof...(Large) - 1;

  static int call(Large... arguments) {
    return carry_out(__builtin_return_address(0), std::tuple<Large...>(arguments...),
                     std::make_index_sequence<sizeof...(Arguments)>());
  }
  template <std::size_t... kIndex>
  static int carry_out(const void* site, const std::tuple<Large...>& all,
                       std::index_sequence<kIndex...>) {
    const bool fits = (fits_int(std::get<kIndex>(all)) && ...);
    return PersistentInit<Collective, int(Arguments...)>::carry_out(
        site, [&] { return std::apply(*library_, all); }, [&] { return *std::get<kRequest>(all); },
        fits, static_cast<Arguments>(std::get<kIndex>(all))...);
  }
  template <typename Argument>
  static bool fits_int(const Argument& argument) {
    if constexpr (std::is_same_v<Argument, MPI_Count>) {
      return argument >= INT_MIN && argument <= INT_MAX;
    }
    return true;
  }

  inline static int (*library_)(Large...) = nullptr;
  const Interception interception_;
};

}  // namespace leadline::runtime
