// MPI_Send, MPI_Ssend and MPI_Rsend. A buffered send is the library's: programs reckon its buffers
// by MPI_Pack_size of their datatypes.
#include <mpi.h>

#include <deque>

#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/messages/carry.hpp"
#include "runtime/messages/setting.hpp"

namespace leadline::runtime {
namespace {

struct Send {
  static constexpr const char* kName = "MPI_Send";
  static constexpr const char* kLarge = "MPI_Send_c";
  static constexpr const char* kOwn = "send";
};
struct Ssend {
  static constexpr const char* kName = "MPI_Ssend";
  static constexpr const char* kLarge = "MPI_Ssend_c";
  static constexpr const char* kOwn = "ssend";
};
struct Rsend {
  static constexpr const char* kName = "MPI_Rsend";
  static constexpr const char* kLarge = "MPI_Rsend_c";
  static constexpr const char* kOwn = "rsend";
};

template <typename Mode, typename Count>
class Sending {
 public:
  static void intercept(const char* name, std::deque<Interception>& all) {
    all.emplace_back(name, call, library_);
  }

 private:
  static int call(const void* address, Count count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm) {
    MessagesOfThread* const thread = this_thread();
    if (is_left(thread, type)) [[likely]]
      return library_(address, count, type, peer, tag, comm);
    return call_derived(*thread, __builtin_return_address(0), address, count, type, peer, tag,
                        comm);
  }

  [[gnu::noinline]] static int call_derived(MessagesOfThread& thread, const void* site,
                                            const void* address, Count count, MPI_Datatype type,
                                            int peer, int tag, MPI_Comm comm) {
    Half sent(thread, Direction::kSend, {const_cast<void*>(address), count, type}, peer);
    return carry_message(Mode::kOwn, site, thread, &sent, nullptr, comm,
                         [&](const Buffer& out, const Buffer&, int*) {
                           return library_(out.address, static_cast<Count>(out.count), out.type,
                                           peer, tag, comm);
                         });
  }

  inline static int (*library_)(const void*, Count, MPI_Datatype, int, int, MPI_Comm) = nullptr;
};

// MPICH's Fortran calls the functions above.
#if defined(OPEN_MPI)
template <typename Mode>
class FortranSending {
 public:
  static void intercept(std::deque<FortranInterceptions>& all) {
    all.emplace_back(Mode::kOwn, call, library_);
  }

 private:
  static void call(const void* address, const MPI_Fint* count, const MPI_Fint* type,
                   const MPI_Fint* peer, const MPI_Fint* tag, const MPI_Fint* comm,
                   MPI_Fint* ierror) {
    MessagesOfThread* const thread = fortran_constants_known() ? this_thread() : nullptr;
    const MPI_Datatype in_c = thread != nullptr ? PMPI_Type_f2c(*type) : MPI_DATATYPE_NULL;
    if (is_left(thread, in_c)) return library_(address, count, type, peer, tag, comm, ierror);
    MPI_Fint unwanted = MPI_SUCCESS;
    MPI_Fint* const code = ierror != nullptr ? ierror : &unwanted;
    void* const buffer = const_cast<void*>(FromFortran<const void*>::value(address));
    Half sent(*thread, Direction::kSend, {buffer, *count, in_c}, *peer);
    *code = carry_message(Mode::kOwn, __builtin_return_address(0), *thread, &sent, nullptr,
                          PMPI_Comm_f2c(*comm), [&](const Buffer& out, const Buffer&, int*) {
                            const MPI_Fint elements = static_cast<MPI_Fint>(out.count);
                            const MPI_Fint element = PMPI_Type_c2f(out.type);
                            const bool as_it_is = out.address == buffer;
                            library_(as_it_is ? address : out.address, &elements, &element, peer,
                                     tag, comm, code);
                            return static_cast<int>(*code);
                          });
  }

  inline static void (*library_)(const void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*,
                                 const MPI_Fint*, const MPI_Fint*, MPI_Fint*) = nullptr;
};
#endif

struct Interceptions {
  Interceptions() {
    if (!packing_is_wanted()) return;
    intercept<Send>();
    intercept<Ssend>();
    intercept<Rsend>();
  }

  template <typename Mode>
  void intercept() {
    Sending<Mode, int>::intercept(Mode::kName, in_c);
    Sending<Mode, MPI_Count>::intercept(Mode::kLarge, in_c);
#if defined(OPEN_MPI)
    FortranSending<Mode>::intercept(in_fortran);
#endif
  }

  std::deque<Interception> in_c;
  std::deque<FortranInterceptions> in_fortran;
};
const Interceptions interceptions;

}  // namespace
}  // namespace leadline::runtime
