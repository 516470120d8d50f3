// Memory of GPUs, which a program may hand to MPI, and which leadline must not touch.
#pragma once

namespace leadline::runtime {

// Whether this process may come to have such memory: the node has a GPU, or the process a driver of
// one.
bool may_have_device_memory();

// Whether a driver that is loaded now knows the address as memory of a device, or as managed
// memory. Asked anew each time, since memory is freed and its addresses are used again.
bool is_device_memory(const void* address);

}  // namespace leadline::runtime
