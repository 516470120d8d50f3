#include "runtime/engine/device_memory.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

namespace leadline::runtime {
namespace {

// What CUDA's driver tells of an address: `attribute` in `data`. 0 is success.
using CudaQuery = int(void* data, int attribute, unsigned long long address);
constexpr int kMemoryType = 2;
constexpr int kIsManaged = 8;
constexpr unsigned kHost = 1;
constexpr int kUnknownAddress = 1;
constexpr int kNotInitialized = 3;
constexpr int kDeinitialized = 4;

// What AMD's runtime tells, without a trace in the errors that HIP remembers for the program.
struct HsaInfo {
  std::uint32_t size = sizeof(HsaInfo);
  std::uint32_t type = 0;
  std::uint64_t rest[14] = {};
};
using HsaQuery = int(const void* address, HsaInfo* info, void* allocate, void* agents, void* them);
constexpr std::uint32_t kUnknown = 0;
constexpr std::uint32_t kLocked = 2;

std::atomic<CudaQuery*> cuda_query{nullptr};
std::atomic<HsaQuery*> hsa_query{nullptr};
// Level Zero tells of an address only within the context that the program made.
std::atomic<bool> level_zero{false};

// How often the process has loaded libraries.
unsigned long long loads() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* argument) {
        *static_cast<unsigned long long*>(argument) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* argument) {
        static_cast<std::vector<std::string>*>(argument)->emplace_back(object->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

// A driver may have been loaded for one module of the program alone.
template <typename Query>
void find(const char* name, const char* library, std::atomic<Query*>& query) {
  void* found = dlsym(RTLD_DEFAULT, name);
  for (const std::string& path : loaded_libraries()) {
    if (found != nullptr) break;
    if (path.compare(path.rfind('/') + 1, std::strlen(library), library) != 0) continue;
    void* const driver = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (driver == nullptr) continue;
    found = dlsym(driver, name);
    dlclose(driver);
  }
  query = reinterpret_cast<Query*>(found);
}

void find_drivers() {
  static std::mutex lock;
  static std::atomic<unsigned long long> looked_at{0};
  const unsigned long long now = loads();
  if (looked_at.load(std::memory_order_acquire) == now) return;
  const std::lock_guard guard(lock);
  find("cuPointerGetAttribute", "libcuda.so", cuda_query);
  find("hsa_amd_pointer_info", "libhsa-runtime64.so", hsa_query);
  std::atomic<void (*)()> query{nullptr};
  find("zeMemGetAllocProperties", "libze_loader.so", query);
  level_zero = query.load() != nullptr;
  looked_at.store(now, std::memory_order_release);
}

bool is_cudas(CudaQuery* query, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  unsigned type = 0;
  unsigned managed = 0;
  const int status = query(&type, kMemoryType, at);
  if (status == kUnknownAddress || status == kNotInitialized || status == kDeinitialized) {
    return false;
  }
  // A driver that cannot tell may know the address.
  return status != 0 || type != kHost || query(&managed, kIsManaged, at) != 0 || managed != 0;
}

bool is_hsas(HsaQuery* query, const void* address) {
  HsaInfo info;
  return query(address, &info, nullptr, nullptr, nullptr) == 0 && info.type != kUnknown &&
         info.type != kLocked;
}

}  // namespace

bool may_have_device_memory() {
  static const bool node_has_gpu = [] {
    const char* const devices[] = {"/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128", "/dev/dxg",
                                   "/dev/nvhost-ctrl-gpu"};
    return std::any_of(std::begin(devices), std::end(devices),
                       [](const char* device) { return access(device, F_OK) == 0; });
  }();
  find_drivers();
  return node_has_gpu || cuda_query.load() != nullptr || hsa_query.load() != nullptr ||
         level_zero.load();
}

bool is_device_memory(const void* address) {
  find_drivers();
  CudaQuery* const of_cuda = cuda_query.load(std::memory_order_relaxed);
  HsaQuery* const of_hsa = hsa_query.load(std::memory_order_relaxed);
  return level_zero.load(std::memory_order_relaxed) ||
         (of_cuda != nullptr && is_cudas(of_cuda, address)) ||
         (of_hsa != nullptr && is_hsas(of_hsa, address));
}

}  // namespace leadline::runtime
