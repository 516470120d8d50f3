// MPI_Sendrecv, whose two halves are decided upon alone.
#include <mpi.h>

#include <deque>

#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/messages/came.hpp"
#include "runtime/messages/carry.hpp"
#include "runtime/messages/setting.hpp"

namespace leadline::runtime {
namespace {

constexpr const char* kName = "sendrecv";

template <typename Count>
class Exchanging {
 public:
  static void intercept(const char* name, std::deque<Interception>& all) {
    all.emplace_back(name, call, library_);
  }

 private:
  static int call(const void* out_address, Count out_count, MPI_Datatype out_type, int to,
                  int out_tag, void* in_address, Count in_count, MPI_Datatype in_type, int from,
                  int in_tag, MPI_Comm comm, MPI_Status* status) {
    MessagesOfThread* const thread = this_thread();
    if (is_left(thread, out_type) && is_left(thread, in_type)) [[likely]] {
      return library_(out_address, out_count, out_type, to, out_tag, in_address, in_count, in_type,
                      from, in_tag, comm, status);
    }
    Half sent(*thread, Direction::kSend, {const_cast<void*>(out_address), out_count, out_type}, to);
    Half received(*thread, Direction::kReceive, {in_address, in_count, in_type}, from);
    return carry_message(
        kName, __builtin_return_address(0), *thread, &sent, &received, comm,
        [&](const Buffer& out, const Buffer& in, int* bytes) {
          Came came(status, bytes);
          return came.read(library_(out.address, static_cast<Count>(out.count), out.type, to,
                                    out_tag, in.address, static_cast<Count>(in.count), in.type,
                                    from, in_tag, comm, came.status()));
        });
  }

  inline static int (*library_)(const void*, Count, MPI_Datatype, int, int, void*, Count,
                                MPI_Datatype, int, int, MPI_Comm, MPI_Status*) = nullptr;
};

#if defined(OPEN_MPI)
using Integer = const MPI_Fint*;
void (*library_sendrecv)(const void*, Integer, Integer, Integer, Integer, void*, Integer, Integer,
                         Integer, Integer, Integer, MPI_Fint*, MPI_Fint*) = nullptr;

void sendrecv(const void* out_address, Integer out_count, Integer out_type, Integer to,
              Integer out_tag, void* in_address, Integer in_count, Integer in_type, Integer from,
              Integer in_tag, Integer comm, MPI_Fint* status, MPI_Fint* ierror) {
  MessagesOfThread* const thread = fortran_statuses_known() ? this_thread() : nullptr;
  const MPI_Datatype out_c = thread != nullptr ? PMPI_Type_f2c(*out_type) : MPI_DATATYPE_NULL;
  const MPI_Datatype in_c = thread != nullptr ? PMPI_Type_f2c(*in_type) : MPI_DATATYPE_NULL;
  if (is_left(thread, out_c) && is_left(thread, in_c)) {
    return library_sendrecv(out_address, out_count, out_type, to, out_tag, in_address, in_count,
                            in_type, from, in_tag, comm, status, ierror);
  }
  MPI_Fint unwanted = MPI_SUCCESS;
  MPI_Fint* const code = ierror != nullptr ? ierror : &unwanted;
  void* const out_buffer = const_cast<void*>(FromFortran<const void*>::value(out_address));
  void* const in_buffer = FromFortran<void*>::value(in_address);
  Half sent(*thread, Direction::kSend, {out_buffer, *out_count, out_c}, *to);
  Half received(*thread, Direction::kReceive, {in_buffer, *in_count, in_c}, *from);
  *code = carry_message(kName, __builtin_return_address(0), *thread, &sent, &received,
                        PMPI_Comm_f2c(*comm), [&](const Buffer& out, const Buffer& in, int* bytes) {
                          const MPI_Fint out_elements = static_cast<MPI_Fint>(out.count);
                          const MPI_Fint out_element = PMPI_Type_c2f(out.type);
                          const MPI_Fint in_elements = static_cast<MPI_Fint>(in.count);
                          const MPI_Fint in_element = PMPI_Type_c2f(in.type);
                          FortranCame came(status, bytes);
                          library_sendrecv(out.address == out_buffer ? out_address : out.address,
                                           &out_elements, &out_element, to, out_tag,
                                           in.address == in_buffer ? in_address : in.address,
                                           &in_elements, &in_element, from, in_tag, comm,
                                           came.status(), code);
                          return came.read(static_cast<int>(*code));
                        });
}
#endif

struct Interceptions {
  Interceptions() {
    if (!packing_is_wanted()) return;
    Exchanging<int>::intercept("MPI_Sendrecv", in_c);
    Exchanging<MPI_Count>::intercept("MPI_Sendrecv_c", in_c);
#if defined(OPEN_MPI)
    in_fortran.emplace_back(kName, sendrecv, library_sendrecv);
#endif
  }

  std::deque<Interception> in_c;
  std::deque<FortranInterceptions> in_fortran;
};
const Interceptions interceptions;

}  // namespace
}  // namespace leadline::runtime
