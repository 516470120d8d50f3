#include "runtime/messages/datatype.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/node_mpi/predefined.hpp"
#include "runtime/learning/purse.hpp"
#include "runtime/messages/scratch.hpp"
#include "runtime/messages/setting.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {
namespace {

// Blocks of single words were slower in the libraries at all sizes, long ones at none: a loop
// copies them twice. In between it wins where the library copies messages, too.
constexpr std::size_t kWord = 16;
constexpr std::size_t kLong = 1024;
constexpr std::size_t kMostOfShort = 32 << 10;

// Calls with a datatype before it is looked at: more while datatypes do not live long enough to
// pay.
constexpr unsigned kPatience = 4;
constexpr unsigned kMostPatience = 1 << 16;
constexpr unsigned kPays = 64;
std::atomic<unsigned> patience{kPatience};

using Held = std::shared_ptr<Datatype>;

int forget(MPI_Datatype, int, void* attribute, void*) {
  const std::unique_ptr<Held> held(static_cast<Held*>(attribute));
  if (*held != nullptr && (*held)->packed.load() < kPays) {
    patience = std::min(2 * patience.load(), kMostPatience);
  }
  datatypes_gone.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

int key_of_datatypes() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const int code = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &made, nullptr);
    return code == MPI_SUCCESS ? made : MPI_KEYVAL_INVALID;
  }();
  return key;
}

std::size_t most_bytes_of(const Layout& layout) {
  if (packing_is_forced()) return kMostScratch;
  if (layout.longest_block >= kLong) return 0;
  return layout.longest_block <= kWord ? kMostScratch : kMostOfShort;
}

Held examine(MPI_Datatype type) {
  MPI_Count bytes = 0;
  if (PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS || bytes <= 0 ||
      static_cast<std::size_t>(bytes) > kMostScratch) {
    return nullptr;
  }
  Decoded decoded = decode(type);
  if (decoded.layout == nullptr || decoded.layout->dense()) return nullptr;
  if (most_bytes_of(*decoded.layout) < decoded.layout->bytes) return nullptr;
  return std::make_shared<Datatype>(std::move(decoded));
}

// What hangs on the datatype, which the first thread to ask makes. False where it cannot be kept.
bool find(MPI_Datatype type, Held& datatype) {
  const int key = key_of_datatypes();
  void* found = nullptr;
  int present = 0;
  if (key == MPI_KEYVAL_INVALID ||
      PMPI_Type_get_attr(type, key, static_cast<void*>(&found), &present) != MPI_SUCCESS) {
    return false;
  }
  if (present != 0) {
    datatype = *static_cast<Held*>(found);
    return true;
  }
  auto* const held = new Held(examine(type));
  datatype = *held;
  if (PMPI_Type_set_attr(type, key, held) == MPI_SUCCESS) return true;
  delete held;
  return false;
}

}  // namespace

Datatype::Datatype(Decoded decoded)
    : is(std::move(decoded)), most_bytes(most_bytes_of(*is.layout)) {}

void look_at(MPI_Datatype type, bool taken, KnownType& known) {
  const unsigned now = datatypes_gone.load(std::memory_order_acquire);
  if (known.type != type || known.examined || known.gone != now) {
    known = {.type = type, .gone = now, .datatype = nullptr};
    if (node::dense_predefined_size(type) != 0) known.forever = known.examined = true;
  }
  if (!taken || known.examined) return;
  const auto begin = static_cast<double>(ticks());
  const bool pays = ++known.uses >= patience && purse().left(begin) > 0;
  if (!pays && !packing_is_forced()) return;
  if (is_named(type)) {
    known.forever = known.examined = true;
    return;
  }
  known.examined = find(type, known.datatype);
  purse().lose(static_cast<double>(ticks()) - begin);
}

}  // namespace leadline::runtime
