// LEADLINE_PACK: "1" packs all datatypes that can be, "0" none. Without it, where programs learn,
// those are packed for which the library takes longer. Each process decides for itself.
#pragma once

namespace leadline::runtime {

// Read once.
bool packing_is_wanted();
bool packing_is_forced();

}  // namespace leadline::runtime
