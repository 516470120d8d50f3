#include "applications/timestep/loop.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "applications/timestep/block.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe::timestep {
namespace {

enum SeriesIndex { kInitialisation = 0, kStep = 1 };
// In one repetition: one that finds the caches as reading left them, one that is timed, and one
// whose communication is.
constexpr int kStepsARepetition = 3;
// A reference for so many cells is computed by every process for itself.
constexpr std::size_t kCellsAlone = std::size_t{1} << 20U;
// Of the mass balance, which only rounding may disturb.
constexpr double kTolerance = 1e-10;

// Another exchange, with the time that it takes.
class TimedExchange : public Exchange {
 public:
  TimedExchange(const Halo& halo, World& world, Exchange& timed)
      : Exchange(halo), world_(world), timed_(timed) {}
  void call() override {
    const double begin = world_.now();
    timed_.call();
    seconds_ += world_.now() - begin;
  }
  // Since it was last asked.
  double take_seconds() { return std::exchange(seconds_, 0.0); }

 protected:
  double* out() override { return timed_.outgoing(kNorth).data(); }
  const double* in() const override { return timed_.incoming(kNorth).data(); }

 private:
  World& world_;
  Exchange& timed_;
  double seconds_ = 0.0;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Catchment catchment_of(const Point& point, const ProcessGrid& grid) {
  const bool weak = point.choice("scaling") == "weak";
  const auto cells = point.integer("cells");
  const auto values = point.integer("values");
  const std::int64_t rows = weak ? cells * grid.rows : cells;
  const std::int64_t columns = weak ? cells * grid.columns : cells;
  if (rows / grid.rows < values) {
    throw Unavailable("blocks of " + std::to_string(rows / grid.rows) + " cells have no room for " +
                      std::to_string(values) + " values a side: take more cells");
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;
  if (rows > kMost || columns > kMost) {
    throw Unavailable("a catchment of so many processes has no more than 2^30 cells a side");
  }
  return make_catchment(static_cast<int>(rows), static_cast<int>(columns), grid,
                        static_cast<int>(values), static_cast<int>(point.integer("exchanges")));
}

Halo halo_of(World& world, const ProcessGrid& grid, int index,
             const std::array<std::size_t, 4>& counts) {
  Halo halo{.neighbours = {}, .counts = counts, .stride = 0, .index = index};
  for (const Side side : kSides) halo.neighbours[side] = neighbour(grid, world.rank(), side);
  halo.stride = agree(world, std::ranges::max(counts), take_maximum<std::size_t>);
  return halo;
}

class Loop {
 public:
  Loop(const Point& point, const Means& means)
      : world_(point.world()),
        means_(means),
        grid_(process_grid(world_.size())),
        catchment_(catchment_of(point, grid_)),
        block_(catchment_, catchment_.block(grid_, world_.rank())),
        depth_halo_(halo_of(world_, grid_, 0, block_.edge_cells())),
        level_halo_(halo_of(world_, grid_, 1, block_.edge_nodes())),
        files_(world_, catchment_),
        depths_(means_.exchange(depth_halo_)),
        levels_(means_.exchange(level_halo_)),
        timed_depths_(depth_halo_, world_, *depths_),
        timed_levels_(level_halo_, world_, *levels_) {}

  void initialise() {
    files_.read(means_.read_field, block_.input_area(), input_);
    block_.start(input_);
  }
  void step() { block_.advance(*depths_, *levels_); }
  void timed_step() {
    const double begin = world_.now();
    block_.advance(timed_depths_, timed_levels_);
    const double step = world_.now() - begin;
    const double levels = timed_levels_.take_seconds();
    exchange_seconds_.push_back(levels / catchment_.sweeps);
    communication_percent_.push_back(100.0 * (levels + timed_depths_.take_seconds()) / step);
  }

  void fill(std::uint64_t seed) const {
    if (world_.rank() == 0) files_.write(seed);
  }
  // Eight for every number that differs from the reference, or where water was lost or made.
  std::size_t wrong_bytes(std::uint64_t seed) const {
    const std::size_t wrong = block_.differences(reference(seed)) + (balanced() ? 0 : 1);
    return wrong * sizeof(double);
  }

  std::vector<int> neighbours() const {
    std::vector<int> ranks;
    for (const int rank : level_halo_.neighbours) {
      if (rank != kNobody) ranks.push_back(rank);
    }
    return ranks;
  }

  std::map<std::string, double> metrics() const {
    const double processes = world_.size();
    const auto mean = [&](double own) { return agree(world_, own, take_sum<double>) / processes; };
    const auto each_way = static_cast<double>(neighbours().size());
    const double most = agree(world_, each_way, take_maximum<double>);
    double bytes = 0.0;
    for (const Side side : kSides) {
      if (!depths_->has(side)) continue;
      bytes += sizeof(double) * static_cast<double>(depth_halo_.counts[side]);
      bytes += sizeof(double) * static_cast<double>(level_halo_.counts[side]) * catchment_.sweeps;
    }
    std::map<std::string, double> found{
        {"problem_size", static_cast<double>(catchment_.whole().cells())},
        {"step.communication_percent", mean(median(communication_percent_))},
        {"step.exchanges", catchment_.sweeps},
        {"step.message_bytes", sizeof(double) * static_cast<double>(level_halo_.counts[kNorth])},
        {"step.most_neighbours", most},
        {"step.messages_per_step", mean(each_way) * processes * (catchment_.sweeps + 1)},
        {"step.bytes_per_step", mean(bytes) * processes},
        {"step.one_sided_percent", means_.one_sided ? 100.0 : 0.0},
    };
    const double exchange = mean(median(exchange_seconds_));
    if (most > 0.0) found["step.exchange_us"] = 1e6 * exchange;
    return found;
  }

 private:
  // The same steps from the same seed, without the files and without what is measured: of the whole
  // catchment on one process, or of this block where that is too much.
  Block reference(std::uint64_t seed) const {
    const bool alone = catchment_.whole().cells() <= kCellsAlone;
    Halo depths = depth_halo_;
    Halo levels = level_halo_;
    if (alone) depths.neighbours = levels.neighbours = {kNobody, kNobody, kNobody, kNobody};
    ReferenceExchange depth_exchange(depths, &world_);
    ReferenceExchange level_exchange(levels, &world_);
    Block block(catchment_, alone ? catchment_.whole() : block_.area());
    block.start(make_input(block.input_area(), seed));
    for (int i = 0; i < kStepsARepetition; ++i) block.advance(depth_exchange, level_exchange);
    return block;
  }

  bool balanced() const {
    Block first(catchment_, block_.area());
    first.start(input_);
    const double own = first.water() + kStepsARepetition * first.rain();
    const double expected = agree(world_, own, take_sum<double>);
    const double found = agree(world_, block_.water(), take_sum<double>);
    return std::abs(found - expected) <= kTolerance * expected;
  }

  World& world_;
  Means means_;
  ProcessGrid grid_;
  Catchment catchment_;
  Block block_;
  Halo depth_halo_;
  Halo level_halo_;
  InputFiles files_;
  Input input_;
  std::unique_ptr<Exchange> depths_;
  std::unique_ptr<Exchange> levels_;
  TimedExchange timed_depths_;
  TimedExchange timed_levels_;
  std::vector<double> exchange_seconds_;       // of one, in each repetition
  std::vector<double> communication_percent_;  // of a step, in each repetition
};

Axis count_axis(std::string name, std::string summary, std::string default_values, double minimum,
                double maximum) {
  return {.name = std::move(name),
          .kind = AxisKind::kInteger,
          .summary = std::move(summary),
          .default_values = std::move(default_values),
          .minimum = minimum,
          .maximum = maximum};
}

}  // namespace

Operation prepare(const Point& point, const Means& means) {
  const auto loop = std::make_shared<Loop>(point, means);
  Operation operation;
  operation.call = [loop] { loop->initialise(); };
  operation.series = kInitialisation;
  operation.then = {{[loop] { loop->step(); }, kNotTimed},
                    {[loop] { loop->step(); }, kStep},
                    {[loop] { loop->timed_step(); }, kNotTimed}};
  operation.fill = [loop](std::uint64_t seed) { loop->fill(seed); };
  operation.wrong_bytes = [loop](std::uint64_t seed) { return loop->wrong_bytes(seed); };
  operation.every_call = true;
  operation.neighbours = loop->neighbours();
  operation.metrics = [loop] { return loop->metrics(); };
  return operation;
}

std::vector<Axis> axes(const std::vector<Axis>& own) {
  Axis scaling = task_axis("scaling",
                           "strong: cells are those of the whole catchment; weak: of each "
                           "process's block",
                           {"strong", "weak"});
  scaling.default_values = scaling.quick_values = "strong";
  Axis cells = count_axis("cells", "cells along each side", "512", 1, 1 << 15);
  cells.quick_values = "128";
  std::vector<Axis> all{
      cells, scaling,
      count_axis("exchanges", "exchanges with the neighbours, one after the other, in a step", "20",
                 1, 1 << 20),
      count_axis("values", "numbers of 8 bytes to each neighbour in an exchange", "10", 1, 1024)};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::vector<Series> series() {
  return {{"initialisation",
           "reading the input files and building the data; each process stops its own clock"},
          {"step",
           "one time step, the second after initialisation: the neighbours' depths, flow over "
           "land, and the drains, which exchange values many times; each process stops its own "
           "clock"}};
}

std::string summary() {
  return "a hydrologic model: time of its initialisation and of one time step, in which neighbours "
         "exchange a few values many times";
}

}  // namespace leadline::probe::timestep
