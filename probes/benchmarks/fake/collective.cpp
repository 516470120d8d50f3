// A simulated collective: every rank takes its own drawn time; rank 0's data reach all.
#include <memory>
#include <vector>

#include "benchmarks/fake/draw.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  auto& world = dynamic_cast<ThreadWorld&>(point.world());
  const auto draw = std::make_shared<Draw>(point);
  const auto buffer = std::make_shared<std::vector<std::byte>>(point.bytes());
  Operation operation;
  operation.call = [&world, draw, buffer] {
    if (world.rank() > 0) world.receive(buffer->data(), buffer->size(), world.rank() - 1);
    world.advance(draw->next());
    if (draw->spoils_data() && !buffer->empty()) buffer->front() ^= std::byte{1};
    if (world.rank() + 1 < world.size()) {
      world.send_untimed(buffer->data(), buffer->size(), world.rank() + 1);
    }
  };
  operation.fill = [buffer, &world](std::uint64_t seed) {
    fill_content(buffer->data(), buffer->size(), world.rank() == 0 ? seed : ~seed);
  };
  operation.wrong_bytes = [buffer](std::uint64_t seed) {
    return wrong_content(buffer->data(), buffer->size(), seed);
  };
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes());
  return operation;
}

const Registration collective{{
    .name = "fake/collective",
    .title = "Invented collective",
    .summary = "time of a simulated collective operation on any number of ranks",
    .axes = draw_axes(),
    .sizes = kCollectiveSizes,
    .processes = {.minimum = 1},
    .series = {{"completion", "from the agreed start to the end on each simulated rank"}},
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
