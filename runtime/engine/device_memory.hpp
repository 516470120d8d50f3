// Memory of GPUs, which a program may hand to MPI, and which leadline must not touch.
#pragma once

namespace leadline::runtime {

// Whether this process may come to have such memory: its node has a GPU, or it has loaded a driver
// of one.
bool may_have_device_memory();

}  // namespace leadline::runtime
