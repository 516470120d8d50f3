// What the programs inherit that a rank starts: the environment as it was without leadline.
//
// Launchers, and scripts that they start, hand leadline's variables on to the ranks. A rank marks
// them as its own when it first calls its library, by one byte in place, as other threads may read
// the environment; the libraries preloaded in what it starts then take them away, before `main`.
#pragma once

namespace leadline::runtime {

// From now on this process is a rank.
void keep_from_children();

}  // namespace leadline::runtime
