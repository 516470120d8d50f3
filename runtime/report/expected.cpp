#include "runtime/report/expected.hpp"

namespace leadline::runtime {

ExpectedTimes expected_times(const Rule& rule, std::size_t bytes) {
  if (rule.measured.empty()) return {};
  const auto at = static_cast<double>(bytes);
  // The sizes around it, the least and the greatest standing for all beyond them.
  const Rule::Measured* below = nullptr;
  const Rule::Measured* above = nullptr;
  for (const Rule::Measured& size : rule.measured) {
    if (size.bytes <= at && (below == nullptr || size.bytes > below->bytes)) below = &size;
    if (size.bytes >= at && (above == nullptr || size.bytes < above->bytes)) above = &size;
  }
  if (below == nullptr) below = above;
  if (above == nullptr) above = below;
  const double width = above->bytes - below->bytes;
  const double part = width > 0 ? (at - below->bytes) / width : 0;
  const auto between = [&](double from, double to) { return 1e-6 * (from + part * (to - from)); };
  return {.library_s = between(below->library_us, above->library_us),
          .algorithm_s = between(below->algorithm_us, above->algorithm_us)};
}

}  // namespace leadline::runtime
