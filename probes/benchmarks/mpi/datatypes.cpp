// A ping-pong of data that do not lie in one piece: by their layout, and by who gathers them.
#include <mpi.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/mpi/layout.hpp"
#include "benchmarks/mpi/messages.hpp"
#include "comm/mpi_world.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

// A committed datatype, of which `count` describe the whole message.
class Datatype {
 public:
  Datatype(const std::string& name, const Layout& layout) {
    const int blocks = static_cast<int>(layout.count());
    const int words = static_cast<int>(layout.block() / kWord);
    if (name == "contiguous") {
      MPI_REQUIRE(
          MPI_Type_contiguous(static_cast<int>(layout.bytes() / kWord), MPI_INT64_T, &type_));
    } else if (name == "vector") {
      MPI_REQUIRE(MPI_Type_vector(blocks, words, 2 * words, MPI_INT64_T, &type_));
    } else if (name == "indexed") {
      indexed(layout, words);
    } else {
      record(layout);
      count_ = blocks;
    }
    MPI_REQUIRE(MPI_Type_commit(&type_));
  }
  ~Datatype() { MPI_REQUIRE(MPI_Type_free(&type_)); }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  MPI_Datatype handle() const { return type_; }
  int count() const { return count_; }

 private:
  void indexed(const Layout& layout, int words) {
    const std::vector<int> lengths(layout.count(), words);
    std::vector<int> displacements;
    for (std::size_t i = 0; i < layout.count(); ++i) {
      displacements.push_back(static_cast<int>(layout.start(i) / kWord));
    }
    MPI_REQUIRE(MPI_Type_indexed(static_cast<int>(layout.count()), lengths.data(),
                                 displacements.data(), MPI_INT64_T, &type_));
  }
  // One structure, made as long as the distance to the next.
  void record(const Layout& layout) {
    const std::array<MPI_Datatype, 3> types{MPI_INT64_T, MPI_INT32_T, MPI_SIGNED_CHAR};
    const std::array<std::size_t, 3> sizes{8, 4, 1};
    std::array<int, 3> lengths{};
    std::array<MPI_Aint, 3> displacements{};
    for (std::size_t i = 0; i < types.size(); ++i) {
      lengths.at(i) = static_cast<int>(layout.pieces()[i].bytes / sizes.at(i));
      displacements.at(i) = static_cast<MPI_Aint>(layout.pieces()[i].offset);
    }
    MPI_Datatype members = MPI_DATATYPE_NULL;
    MPI_REQUIRE(
        MPI_Type_create_struct(3, lengths.data(), displacements.data(), types.data(), &members));
    MPI_REQUIRE(
        MPI_Type_create_resized(members, 0, static_cast<MPI_Aint>(2 * layout.block()), &type_));
    MPI_REQUIRE(MPI_Type_free(&members));
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int count_ = 1;
};

// One rank's side: how its blocks get on their way and into place is the method's.
class Ball {
 public:
  Ball(const Point& point, Layout layout)
      : layout_(std::move(layout)),
        out_(point.buffer(layout_.area_bytes())),
        in_(point.buffer(layout_.area_bytes())),
        rank_(point.world().rank()),
        peer_(1 - rank_) {}
  virtual ~Ball() = default;

  void call() {
    if (rank_ == 0) send();
    receive();
    if (rank_ == 1) send();
  }
  void fill(std::uint64_t seed) {
    fill_content(out_.data(), out_.bytes(), ~seed);
    place(out_.data(), seed, rank_);
    fill_content(in_.data(), in_.bytes(), gap_seed(seed));
  }
  // The gaps count too: they must be as they were.
  std::size_t wrong_bytes(std::uint64_t seed) {
    std::vector<std::byte> right(in_.bytes());
    fill_content(right.data(), right.size(), gap_seed(seed));
    place(right.data(), seed, peer_);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < right.size(); ++i) wrong += right[i] != last_in_[i] ? 1 : 0;
    return wrong;
  }

 protected:
  static constexpr int kTag = 0;

  virtual void send_blocks(const std::byte* area) = 0;
  virtual void receive_blocks(std::byte* area) = 0;

  const Layout& layout() const { return layout_; }
  int peer() const { return peer_; }
  MPI_Comm communicator() const { return communicator_; }

 private:
  void send() {
    send_blocks(out_.data());
    out_.step();
  }
  void receive() {
    last_in_ = in_.data();
    receive_blocks(last_in_);
    in_.step();
  }
  void place(std::byte* area, std::uint64_t seed, int sender) const {
    std::vector<std::byte> packed(layout_.bytes());
    fill_content(packed.data(), packed.size(), 2 * seed + static_cast<std::uint64_t>(sender));
    layout_.scatter(packed.data(), area);
  }
  static std::uint64_t gap_seed(std::uint64_t seed) { return ~content_word(seed, 1); }

  Layout layout_;
  Buffer out_;
  Buffer in_;
  std::byte* last_in_ = nullptr;
  int rank_;
  int peer_;
  MPI_Comm communicator_ = benchmark_communicator();
};

class DescribedBall : public Ball {
 public:
  DescribedBall(const Point& point, const Layout& layout)
      : Ball(point, layout), type_(point.choice("layout"), layout) {}

 private:
  void send_blocks(const std::byte* area) override {
    MPI_REQUIRE(MPI_Send(area, type_.count(), type_.handle(), peer(), kTag, communicator()));
  }
  void receive_blocks(std::byte* area) override {
    MPI_REQUIRE(MPI_Recv(area, type_.count(), type_.handle(), peer(), kTag, communicator(),
                         MPI_STATUS_IGNORE));
  }

  Datatype type_;
};

class PackedBall : public Ball {
 public:
  PackedBall(const Point& point, const Layout& layout)
      : Ball(point, layout), type_(point.choice("layout"), layout) {
    int bytes = 0;
    MPI_REQUIRE(MPI_Pack_size(type_.count(), type_.handle(), communicator(), &bytes));
    packed_.resize(static_cast<std::size_t>(bytes));
  }

 private:
  void send_blocks(const std::byte* area) override {
    int position = 0;
    MPI_REQUIRE(MPI_Pack(area, type_.count(), type_.handle(), packed_.data(), room(), &position,
                         communicator()));
    MPI_REQUIRE(MPI_Send(packed_.data(), position, MPI_PACKED, peer(), kTag, communicator()));
  }
  void receive_blocks(std::byte* area) override {
    int position = 0;
    MPI_REQUIRE(MPI_Recv(packed_.data(), room(), MPI_PACKED, peer(), kTag, communicator(),
                         MPI_STATUS_IGNORE));
    MPI_REQUIRE(MPI_Unpack(packed_.data(), room(), &position, area, type_.count(), type_.handle(),
                           communicator()));
  }
  int room() const { return static_cast<int>(packed_.size()); }

  Datatype type_;
  std::vector<std::byte> packed_;
};

class CopiedBall : public Ball {
 public:
  CopiedBall(const Point& point, const Layout& layout)
      : Ball(point, layout), packed_(layout.bytes()) {}

 private:
  void send_blocks(const std::byte* area) override {
    layout().gather(area, packed_.data());
    MPI_REQUIRE(MPI_Send(packed_.data(), bytes(), MPI_BYTE, peer(), kTag, communicator()));
  }
  void receive_blocks(std::byte* area) override {
    MPI_REQUIRE(MPI_Recv(packed_.data(), bytes(), MPI_BYTE, peer(), kTag, communicator(),
                         MPI_STATUS_IGNORE));
    layout().scatter(packed_.data(), area);
  }
  int bytes() const { return static_cast<int>(packed_.size()); }

  std::vector<std::byte> packed_;
};

std::shared_ptr<Ball> ball_of(const Point& point, const Layout& layout) {
  const std::string& method = point.choice("method");
  if (method == "datatype") return std::make_shared<DescribedBall>(point, layout);
  if (method == "pack") return std::make_shared<PackedBall>(point, layout);
  if (method == "manual") return std::make_shared<CopiedBall>(point, layout);
  throw std::invalid_argument("method=" + method + " is none of mpi/datatypes");
}

Operation prepare(const Point& point) {
  require_real("packing takes no time");
  const std::size_t bytes = point.bytes();
  const std::size_t block = point.bytes("block");
  if (bytes % block != 0) {
    throw Unavailable(std::to_string(bytes) + " bytes are no whole number of blocks of " +
                      std::to_string(block));
  }
  const Layout layout(point.choice("layout"), bytes, block, point.seed());
  Operation operation = operation_of(ball_of(point, layout));
  const int rank = point.world().rank();
  if (rank != 0) operation.series = kNotTimed;
  operation.peer = 1 - rank;
  operation.operations_per_call = 2;
  operation.bytes = bytes;
  operation.moved_bytes = static_cast<double>(bytes);
  return operation;
}

Axis size_axis() {
  Axis axis = bytes_axis("512,4K,32K,256K,2M", "data, without the gaps", kWord);
  // MPICH 4.0 divides by zero where it packs an empty datatype.
  axis.minimum = kWord;
  // There are as many in the gaps, and all is counted in int.
  axis.maximum = 1U << 30U;
  return axis;
}

Axis block_axis() {
  Axis axis{"block", AxisKind::kBytes, "data between two gaps", "64"};
  axis.minimum = kWord;
  axis.maximum = 1U << 30U;
  axis.multiple_of = kWord;
  return axis;
}

const Registration datatypes{{
    .name = "mpi/datatypes",
    .title = "Message of a derived datatype",
    .summary = "one-way time of data with gaps between them, from their places in one rank's "
               "memory to the same places in another's: comparable with mpi/pingpong",
    .axes = {size_axis(),
             task_axis("layout",
                       "contiguous: no gaps; vector: blocks and gaps of the same length; "
                       "indexed: gaps drawn at random, as long on average; struct: each block "
                       "three members of 8, 4 and 1 bytes an element, with gaps between them",
                       {"vector", "contiguous", "indexed", "struct"}),
             choice_axis("method",
                         "datatype: MPI_Send of a derived type; pack: MPI_Pack, MPI_Send, "
                         "MPI_Recv, MPI_Unpack; manual: a loop that copies, in place of MPI_Pack "
                         "and MPI_Unpack",
                         {"datatype", "pack", "manual"}),
             block_axis()},
    .sizes = {.join = true, .split = true},
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"one-way",
                "half of a round trip, from before rank 0 gathers its blocks to after the answer's "
                "are in place on rank 0, which stops the clock"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
