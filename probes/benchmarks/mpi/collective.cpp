#include "benchmarks/mpi/collective.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "harness/content.hpp"

namespace leadline::probe {
namespace {

// Makes every byte differ, so that one that does not come shows for certain.
void invert(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = ~data[i];
}

// Blocks of every (source, destination) have their own content in each repetition: whichever are
// mixed up show.
class Moved : public Data {
 public:
  Moved(const Point& point, std::vector<Block> sent, std::vector<Block> received, bool in_place)
      : Data(point, end_of(sent), std::max(end_of(received), in_place ? end_of(sent) : 0),
             in_place),
        sent_(std::move(sent)),
        received_(std::move(received)) {}

  void fill(std::uint64_t seed) override {
    for (const Block& block : received_) {
      fill_content(room() + block.offset, block.bytes, content_of(seed, block));
      invert(room() + block.offset, block.bytes);
    }
    // Second, since in place it is in the same buffer.
    for (const Block& block : sent_) {
      fill_content(input() + block.offset, block.bytes, content_of(seed, block));
    }
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    std::size_t wrong = 0;
    for (const Block& block : received_) {
      wrong += wrong_content(result() + block.offset, block.bytes, content_of(seed, block));
    }
    return wrong;
  }

 private:
  static std::size_t end_of(const std::vector<Block>& blocks) {
    std::size_t end = 0;
    for (const Block& block : blocks) end = std::max(end, block.offset + block.bytes);
    return end;
  }
  static std::uint64_t content_of(std::uint64_t seed, const Block& block) {
    const auto source = static_cast<std::uint64_t>(block.source);
    const auto destination = static_cast<std::uint64_t>(block.destination);
    return content_word(content_word(seed, source), destination);
  }

  std::vector<Block> sent_;
  std::vector<Block> received_;
};

// A whole number below 2^32 for every rank and element. What a rank contributes is the difference
// of its successor's and its own, so the sum over ranks 0 to k-1 is known without adding anything
// up: milestone(k) - milestone(0). A rank that is left out or counted twice shows. Every partial
// sum is a whole number below 2^53 for up to 2^20 ranks: exact in any order.
double milestone(std::uint64_t seed, int rank, std::size_t element) {
  return static_cast<double>(
      content_word(content_word(seed, static_cast<std::uint64_t>(rank)), element) >> 32);
}

// Over ranks 0 to `ranks` - 1.
double sum_of(std::uint64_t seed, int ranks, std::size_t element) {
  return milestone(seed, ranks, element) - milestone(seed, 0, element);
}

// In place, where nothing is filled in between, one call adds up the sums of the one before: soon
// infinities, which are as fast as any other number.
class Summed : public Data {
 public:
  Summed(const Point& point, const Sum& sum, bool in_place)
      : Data(point, sum.elements * sizeof(double),
             std::max(in_place ? sum.elements : 0, sum.result_elements) * sizeof(double), in_place),
        sum_(sum),
        rank_(point.world().rank()) {}

  void fill(std::uint64_t seed) override {
    for (std::size_t i = 0; i < sum_.result_elements; ++i) {
      const double right = sum_of(seed, sum_.ranks, sum_.first + i);
      std::byte* place = room() + i * sizeof right;
      std::memcpy(place, &right, sizeof right);
      invert(place, sizeof right);
    }
    fill_summand(input(), sum_.elements, seed, rank_);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    return wrong_sum(result(), sum_.result_elements, seed, sum_.ranks, sum_.first);
  }

 private:
  Sum sum_;
  int rank_;
};

// One block at the start of a buffer.
std::vector<Block> one(std::size_t bytes, int source, int destination) {
  return {{.offset = 0, .bytes = bytes, .source = source, .destination = destination}};
}

// One block for each rank, in order: `ends(other)` is its (source, destination).
template <typename Ends>
std::vector<Block> one_each(std::size_t bytes, int size, Ends ends) {
  std::vector<Block> blocks;
  for (int other = 0; other < size; ++other) {
    const auto [source, destination] = ends(other);
    blocks.push_back({static_cast<std::size_t>(other) * bytes, bytes, source, destination});
  }
  return blocks;
}

using Ends = std::pair<int, int>;

}  // namespace

Axis buffers_axis() {
  Axis axis = choice_axis("buffers", "separate ones for input and result, or MPI_IN_PLACE",
                          {"separate", "in_place"});
  axis.quick_values = "separate";
  return axis;
}

bool in_place(const Point& point) { return point.choice("buffers") == "in_place"; }

Axis root_axis() {
  return {"root", AxisKind::kInteger, "the rank that the others send to or receive from", "0"};
}

int root_of(const Point& point) {
  const auto root = point.integer("root");
  if (root >= point.world().size()) {
    throw Unavailable("there is no rank " + std::to_string(root) + " among " +
                      std::to_string(point.world().size()) + " processes");
  }
  return static_cast<int>(root);
}

std::vector<Series> completion() {
  return {{"completion",
           "from the common start to the return of the call on each rank; the last rank stops the "
           "clock"}};
}

Benchmark blocking(Benchmark own) {
  const bool has_sizes = !own.axes.empty() && own.axes.front().name == "bytes";
  own.sizes = has_sizes ? kCollectiveSizes : Sizes{};
  own.series = completion();
  own.start = Start::kAgreed;
  return own;
}

Data::Sides Data::next() {
  const void* out = in_place_ ? MPI_IN_PLACE : out_.data();
  result_ = in_.data();
  out_.step();
  in_.step();
  return {out, result_};
}

SharedData moved(const Point& point, std::vector<Block> sent, std::vector<Block> received,
                 bool in_place) {
  return std::make_shared<Moved>(point, std::move(sent), std::move(received), in_place);
}

SharedData bcast_data(const Point& point, int root) {
  const std::vector<Block> message = one(point.bytes(), root, kEverywhere);
  const bool is_root = point.world().rank() == root;
  return moved(point, is_root ? message : std::vector<Block>{}, message, true);
}

SharedData gather_data(const Point& point, int root, bool in_place) {
  const std::size_t bytes = point.bytes();
  const int rank = point.world().rank();
  if (rank != root) return moved(point, one(bytes, rank, root), {}, false);
  auto all = one_each(bytes, point.world().size(), [&](int other) { return Ends{other, root}; });
  const auto own =
      in_place ? std::vector{all.at(static_cast<std::size_t>(root))} : one(bytes, root, root);
  return moved(point, own, std::move(all), in_place);
}

SharedData scatter_data(const Point& point, int root, bool in_place) {
  const std::size_t bytes = point.bytes();
  const int rank = point.world().rank();
  if (rank != root) return moved(point, {}, one(bytes, root, rank), false);
  auto all = one_each(bytes, point.world().size(), [&](int other) { return Ends{root, other}; });
  if (in_place) return moved(point, std::move(all), {}, false);
  return moved(point, std::move(all), one(bytes, root, root), false);
}

SharedData allgather_data(const Point& point, bool in_place) {
  const std::size_t bytes = point.bytes();
  const int rank = point.world().rank();
  auto all =
      one_each(bytes, point.world().size(), [](int other) { return Ends{other, kEverywhere}; });
  const auto own = in_place ? std::vector{all.at(static_cast<std::size_t>(rank))}
                            : one(bytes, rank, kEverywhere);
  return moved(point, own, std::move(all), in_place);
}

SharedData alltoall_data(const Point& point, bool in_place) {
  const int rank = point.world().rank();
  const int size = point.world().size();
  return moved(point, one_each(point.bytes(), size, [&](int other) { return Ends{rank, other}; }),
               one_each(point.bytes(), size, [&](int other) { return Ends{other, rank}; }),
               in_place);
}

void fill_summand(std::byte* data, std::size_t elements, std::uint64_t seed, int rank) {
  auto* values = reinterpret_cast<double*>(data);
  for (std::size_t i = 0; i < elements; ++i) {
    values[i] = milestone(seed, rank + 1, i) - milestone(seed, rank, i);
  }
}

std::size_t wrong_sum(const std::byte* data, std::size_t elements, std::uint64_t seed, int ranks,
                      std::size_t first) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    const double right = sum_of(seed, ranks, first + i);
    const std::byte* found = data + i * sizeof right;
    // Bytes are what is counted. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (std::memcmp(found, &right, sizeof right) == 0) continue;
    const auto* expected = reinterpret_cast<const std::byte*>(&right);
    for (std::size_t byte = 0; byte < sizeof right; ++byte) {
      wrong += found[byte] != expected[byte] ? 1 : 0;
    }
  }
  return wrong;
}

SharedData summed(const Point& point, const Sum& sum, bool in_place) {
  return std::make_shared<Summed>(point, sum, in_place);
}

SharedData summed(const Point& point, int ranks, bool in_place) {
  const std::size_t elements = point.bytes() / sizeof(double);
  return summed(point,
                {.elements = elements,
                 .first = 0,
                 .result_elements = ranks > 0 ? elements : 0,
                 .ranks = ranks},
                in_place);
}

int doubles(const Point& point) { return static_cast<int>(point.bytes() / sizeof(double)); }

}  // namespace leadline::probe
