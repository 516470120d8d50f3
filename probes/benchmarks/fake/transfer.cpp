// A simulated ping-pong: the times are drawn, the data really travel between the ranks.
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
  const int peer = 1 - world.rank();
  Operation operation;
  if (world.rank() == 0) {
    operation.call = [&world, draw, buffer, peer] {
      world.send_untimed(buffer->data(), buffer->size(), peer);
      world.receive(buffer->data(), buffer->size(), peer);
      world.advance(2.0 * draw->next());
    };
  } else {
    operation.call = [&world, draw, buffer, peer] {
      world.receive(buffer->data(), buffer->size(), peer);
      draw->next();
      if (draw->spoils_data() && !buffer->empty()) buffer->front() ^= std::byte{1};
      world.send_untimed(buffer->data(), buffer->size(), peer);
    };
    operation.series = kNotTimed;
  }
  operation.fill = [buffer, &world](std::uint64_t seed) {
    fill_content(buffer->data(), buffer->size(), world.rank() == 0 ? seed : ~seed);
  };
  operation.wrong_bytes = [buffer](std::uint64_t seed) {
    return wrong_content(buffer->data(), buffer->size(), seed);
  };
  operation.peer = peer;
  operation.operations_per_call = 2;
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes());
  return operation;
}

const Registration transfer{{
    .name = "fake/transfer",
    .title = "Invented transfer",
    .summary = "one-way time of a simulated message between two ranks",
    .axes = draw_axes(),
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"one-way", "half of a simulated round trip, timed on rank 0"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
