// LEADLINE_PACK: "1" packs all datatypes that can be; "learn", where programs learn, those for
// which the library takes longer; else none are. Each process decides for itself.
#pragma once

namespace leadline::runtime {

// Read once.
bool packing_is_wanted();
bool packing_is_forced();

}  // namespace leadline::runtime
