#include "runtime/engine/device_memory.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace leadline::runtime {
namespace {

bool node_has_gpu() {
  const char* const devices[] = {"/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128", "/dev/dxg",
                                 "/dev/nvhost-ctrl-gpu"};
  return std::any_of(std::begin(devices), std::end(devices),
                     [](const char* device) { return access(device, F_OK) == 0; });
}

// CUDA's, AMD's or Level Zero's.
int is_driver(dl_phdr_info* object, std::size_t, void*) {
  const std::string_view path(object->dlpi_name);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool is_one = name.starts_with("libcuda.so") || name.starts_with("libhsa-runtime64.so") ||
                      name.starts_with("libze_loader.so");
  return is_one ? 1 : 0;
}

}  // namespace

bool may_have_device_memory() {
  static const bool has_gpu = node_has_gpu();
  return has_gpu || dl_iterate_phdr(is_driver, nullptr) != 0;
}

}  // namespace leadline::runtime
