// What a probe says of itself, without MPI.
#pragma once

#include <string>
#include <string_view>

namespace leadline::probe {

// The JSON of `--describe`: leadline.model.description.Description on the reading side.
std::string describe(std::string_view transport);

// `[["point","<u4"],...]`
std::string sample_fields_json();
// `["preempted",...]`
std::string flag_names_json();

}  // namespace leadline::probe
