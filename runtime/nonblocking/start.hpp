// A function that starts a non-blocking collective, with leadline's in the place of the library's
// own (MPI 4.1, section 6.12).
//
// It waits for no other rank, so all ranks must decide alike by what they know: the adopted
// communicator, and what MPI asks to be the same on all ranks. In reductions by MPI's own
// operations these are the count and the datatype, which is MPI's own, too. The blocking
// collectives that ranks have called before are the same, and so is what they have learnt from
// them.
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

#include "algorithms/node/outstanding.hpp"
#include "runtime/engine/adopted.hpp"
#include "runtime/engine/failure.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/engine/replacement.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/report/site.hpp"
#include "runtime/requests/blocking.hpp"
#include "runtime/requests/completion.hpp"

namespace leadline::runtime {

// Why the communicator or the size is left to the library, of which a rank gives so much; nullptr:
// it is not.
const char* doubt_about_start(Adopted& adopted, const Blocking& blocking, std::size_t bytes,
                              std::size_t given);

// `Collective` has, for the arguments up to the communicator:
//   static Weight weigh(const Adopted&, arguments...)   as of the blocking collective
//   static std::size_t given(int ranks, std::size_t bytes)
//   static std::unique_ptr<node::Outstanding::Operation> make(int ranks, bytes, arguments...)
template <typename Collective, typename Function>
class NonblockingStart;

template <typename Collective, typename... Arguments>
class NonblockingStart<Collective, int(Arguments...)> {
 public:
  // The report calls it `name`, such as "iallreduce"; it stands in for `function`, and follows the
  // rules of `blocking`.
  NonblockingStart(const char* name, std::string_view function, std::string_view blocking)
      : interception_(function, call, library_),
        fortran_interceptions_(name, in_fortran, fortran_) {
    name_ = name;
    blocking_ = blocking;
  }

  // `pass_on()` calls the library's own; `give(handle)` gives the program its request. `fits`: all
  // counts are those of `arguments`.
  template <typename PassOn, typename Give>
  static int carry_out(const void* site, const PassOn& pass_on, const Give& give, bool fits,
                       Arguments... arguments) {
    const std::uint64_t begin = now_if_reporting();
    const MPI_Comm comm = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    Adopted* const adopted = Adopted::by_now(comm);
    Weight weight;
    if (adopted == nullptr) {
      weight.doubt = kReporting ? Adopted::why_not(comm) : "not adopted";
    } else {
      weight = fits ? Collective::weigh(*adopted, arguments...) : Weight{.doubt = "2 GiB or more"};
    }
    if (weight.doubt == nullptr) {
      MPI_Request handle = MPI_REQUEST_NULL;
      const int code = start(*adopted, weight, handle, site, begin, arguments...);
      if (code != MPI_SUCCESS) {
        adopted->spoil();
        report_failure(name_, comm, code);
        return code;
      }
      if (weight.doubt == nullptr) {
        give(handle);
        return MPI_SUCCESS;
      }
    }
    note_traffic();
    const int code = pass_on();
    if (kReporting) record(describe_request(name_, adopted, comm, weight), site, ticks() - begin);
    return code;
  }

 private:
  // Returns an MPI error code. Says in `weight` why the library must do it.
  static int start(Adopted& adopted, Weight& weight, MPI_Request& handle, const void* site,
                   std::uint64_t begin, Arguments... arguments) {
    static const Blocking blocking(blocking_);
    const std::size_t given = Collective::given(adopted.size(), weight.bytes);
    weight.doubt = doubt_about_start(adopted, blocking, weight.bytes, given);
    if (weight.doubt != nullptr) return MPI_SUCCESS;
    try {
      Request* const request = Request::take_idle();
      if (request == nullptr) return MPI_ERR_NO_MEM;
      auto operation = Collective::make(adopted.size(), weight.bytes, arguments...);
      if (!node::Outstanding::start(adopted.outstanding(), *operation)) {
        request->put_back();
        weight.doubt = "too many outstanding";
        return MPI_SUCCESS;
      }
      Call described{.function = name_};
      if (kReporting) {
        described = describe_request(name_, &adopted, MPI_COMM_NULL, weight);
        // Found now: when it ends, the program is elsewhere.
        site = site_in_program(site);
      }
      handle = request->hand_out(std::move(operation), described, site, now_if_reporting() - begin);
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
  }

  static int call(Arguments... arguments, MPI_Request* request) {
    const auto pass_on = [&] { return library_(arguments..., request); };
    return carry_out(
        __builtin_return_address(0), pass_on, [&](MPI_Request handle) { *request = handle; },
        request != nullptr, arguments...);
  }

  static void in_fortran(typename FromFortran<Arguments>::Type... arguments, MPI_Fint* request,
                         MPI_Fint* ierror) {
    if (!fortran_constants_known()) return fortran_(arguments..., request, ierror);
    MPI_Fint unwanted = MPI_SUCCESS;
    MPI_Fint& code = ierror != nullptr ? *ierror : unwanted;
    const auto pass_on = [&] {
      fortran_(arguments..., request, &code);
      return static_cast<int>(code);
    };
    const auto give = [&](MPI_Request handle) { *request = PMPI_Request_c2f(handle); };
    code = carry_out(__builtin_return_address(0), pass_on, give, true,
                     FromFortran<Arguments>::value(arguments)...);
  }

  inline static int (*library_)(Arguments..., MPI_Request*) = nullptr;
  inline static void (*fortran_)(typename FromFortran<Arguments>::Type..., MPI_Fint*,
                                 MPI_Fint*) = nullptr;
  inline static const char* name_ = nullptr;
  inline static std::string_view blocking_;
  const Interception interception_;
  const FortranInterceptions fortran_interceptions_;
};

// The function of MPI 4 whose counts are MPI_Count, which ranks may call together with the other
// one. `Small` is the NonblockingStart of that.
template <typename Small, typename Large>
class LargeNonblockingStart;

template <typename Collective, typename... Arguments, typename... Large>
class LargeNonblockingStart<NonblockingStart<Collective, int(Arguments...)>, int(Large...)> {
 public:
  explicit LargeNonblockingStart(std::string_view function)
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
    MPI_Request* const request = std::get<kRequest>(all);
    const bool fits = request != nullptr && (fits_int(std::get<kIndex>(all)) && ...);
    return NonblockingStart<Collective, int(Arguments...)>::carry_out(
        site, [&] { return std::apply(*library_, all); },
        [&](MPI_Request handle) { *request = handle; }, fits,
        static_cast<Arguments>(std::get<kIndex>(all))...);
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
