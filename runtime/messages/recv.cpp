// MPI_Recv.
#include <mpi.h>

#include <deque>

#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/messages/came.hpp"
#include "runtime/messages/carry.hpp"
#include "runtime/messages/setting.hpp"

namespace leadline::runtime {
namespace {

constexpr const char* kName = "recv";

template <typename Count>
class Receiving {
 public:
  static void intercept(const char* name, std::deque<Interception>& all) {
    all.emplace_back(name, call, library_);
  }

 private:
  static int call(void* address, Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Status* status) {
    MessagesOfThread* const thread = this_thread();
    if (is_left(thread, type)) [[likely]]
      return library_(address, count, type, peer, tag, comm, status);
    return call_derived(*thread, __builtin_return_address(0), address, count, type, peer, tag, comm,
                        status);
  }

  [[gnu::noinline]] static int call_derived(MessagesOfThread& thread, const void* site,
                                            void* address, Count count, MPI_Datatype type, int peer,
                                            int tag, MPI_Comm comm, MPI_Status* status) {
    Half received(thread, Direction::kReceive, {address, count, type}, peer);
    return carry_message(kName, site, thread, nullptr, &received, comm,
                         [&](const Buffer&, const Buffer& in, int* bytes) {
                           Came came(status, bytes);
                           return came.read(library_(in.address, static_cast<Count>(in.count),
                                                     in.type, peer, tag, comm, came.status()));
                         });
  }

  inline static int (*library_)(void*, Count, MPI_Datatype, int, int, MPI_Comm,
                                MPI_Status*) = nullptr;
};

#if defined(OPEN_MPI)
void (*library_recv)(void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*,
                     const MPI_Fint*, MPI_Fint*, MPI_Fint*) = nullptr;

void recv(void* address, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* peer,
          const MPI_Fint* tag, const MPI_Fint* comm, MPI_Fint* status, MPI_Fint* ierror) {
  MessagesOfThread* const thread = fortran_statuses_known() ? this_thread() : nullptr;
  const MPI_Datatype in_c = thread != nullptr ? PMPI_Type_f2c(*type) : MPI_DATATYPE_NULL;
  if (is_left(thread, in_c)) {
    return library_recv(address, count, type, peer, tag, comm, status, ierror);
  }
  MPI_Fint unwanted = MPI_SUCCESS;
  MPI_Fint* const code = ierror != nullptr ? ierror : &unwanted;
  void* const buffer = FromFortran<void*>::value(address);
  Half received(*thread, Direction::kReceive, {buffer, *count, in_c}, *peer);
  *code = carry_message(kName, __builtin_return_address(0), *thread, nullptr, &received,
                        PMPI_Comm_f2c(*comm), [&](const Buffer&, const Buffer& in, int* bytes) {
                          const MPI_Fint elements = static_cast<MPI_Fint>(in.count);
                          const MPI_Fint element = PMPI_Type_c2f(in.type);
                          FortranCame came(status, bytes);
                          library_recv(in.address == buffer ? address : in.address, &elements,
                                       &element, peer, tag, comm, came.status(), code);
                          return came.read(static_cast<int>(*code));
                        });
}
#endif

struct Interceptions {
  Interceptions() {
    if (!packing_is_wanted()) return;
    Receiving<int>::intercept("MPI_Recv", in_c);
    Receiving<MPI_Count>::intercept("MPI_Recv_c", in_c);
#if defined(OPEN_MPI)
    in_fortran.emplace_back(kName, recv, library_recv);
#endif
  }

  std::deque<Interception> in_c;
  std::deque<FortranInterceptions> in_fortran;
};
const Interceptions interceptions;

}  // namespace
}  // namespace leadline::runtime
