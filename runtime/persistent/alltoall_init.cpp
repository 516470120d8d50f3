#include "algorithms/node/persistent_collectives.hpp"
#include "runtime/persistent/init.hpp"
#include "runtime/persistent/moved.hpp"

namespace leadline::runtime {
namespace {

struct AlltoallInit {
  static Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type,
                      void* out, int out_count, MPI_Datatype out_type, MPI_Comm) {
    return weigh_persistent_blocks(adopted, in, in_count, in_type, out, out_count, out_type);
  }
  static std::size_t given(int ranks, std::size_t bytes) {
    return node::PersistentOfBlocks::given(ranks, bytes);
  }
  static std::unique_ptr<node::Persistent> make(node::Persistent::Ranks ranks,
                                                node::Service service, std::size_t bytes,
                                                const void* in, int, MPI_Datatype, void* out, int,
                                                MPI_Datatype, MPI_Comm) {
    auto* const blocks = static_cast<std::byte*>(out);
    const auto* const own = in == MPI_IN_PLACE ? blocks : static_cast<const std::byte*>(in);
    return std::make_unique<node::PersistentAlltoall>(std::move(ranks), std::move(service), own,
                                                      blocks, bytes);
  }
};

using Init = PersistentInit<AlltoallInit, int(const void*, int, MPI_Datatype, void*, int,
                                              MPI_Datatype, MPI_Comm)>;
const Init init{"alltoall_init", "MPI_Alltoall_init", "alltoall"};
#if MPI_VERSION >= 4
const LargePersistentInit<Init, decltype(MPI_Alltoall_init_c)> large{"MPI_Alltoall_init_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
