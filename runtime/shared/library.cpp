#include "runtime/shared/library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <cstddef>

namespace leadline::runtime {
namespace {

struct Search {
  const char* name;
  void* found;
};

// Libraries like this one, and this one: what they pass on would come back.
bool is_preloaded(const char* path) {
  constexpr char kOwn[] = "libleadline";
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  return strncmp(name, kOwn, sizeof kOwn - 1) == 0;
}

bool contains(const dl_phdr_info& object, const void* address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = object.dlpi_phdr[i];
    const auto begin = object.dlpi_addr + segment.p_vaddr;
    const auto at = reinterpret_cast<ElfW(Addr)>(address);
    if (segment.p_type == PT_LOAD && at >= begin && at < begin + segment.p_memsz) return true;
  }
  return false;
}

// Looks into one loaded object, but not into what it depends on: that is met by itself.
int look_into(dl_phdr_info* object, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (object->dlpi_name == nullptr || object->dlpi_name[0] == '\0') return 0;
  if (is_preloaded(object->dlpi_name)) return 0;
  void* const library = dlopen(object->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return 0;
  void* const found = dlsym(library, search.name);
  if (found != nullptr && contains(*object, found)) {
    search.found = found;
    dlopen(object->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  }
  dlclose(library);
  return search.found != nullptr ? 1 : 0;
}

}  // namespace

void* find_in_library(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  Dl_info object{};
  const bool passes_on =
      next != nullptr && dladdr(next, &object) != 0 && is_preloaded(object.dli_fname);
  if (next != nullptr && !passes_on) return next;
  // Behind what passes on, too: an engine needs the library's other functions.
  Search search{.name = name, .found = nullptr};
  dl_iterate_phdr(look_into, &search);
  return passes_on ? next : search.found;
}

const char* mpi_library() {
  const char* path = nullptr;
  const auto find = [](dl_phdr_info* object, std::size_t, void* found) {
    const char* const slash = strrchr(object->dlpi_name, '/');
    const char* const name = slash != nullptr ? slash + 1 : object->dlpi_name;
    if (strncmp(name, "libmpi", 6) != 0 || strstr(name, ".so") == nullptr) return 0;
    *static_cast<const char**>(found) = object->dlpi_name;
    return 1;
  };
  dl_iterate_phdr(find, &path);
  return path;
}

void* load_beside(const char* file, const char*& why) {
  Dl_info here;
  char path[4096];
  why = "its folder is lost";
  if (dladdr(reinterpret_cast<void*>(&load_beside), &here) == 0) return nullptr;
  const char* const slash = strrchr(here.dli_fname, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - here.dli_fname) + 1;
  const int length = snprintf(path, sizeof path, "%.*s%s", folder, here.dli_fname, file);
  if (length <= 0 || static_cast<std::size_t>(length) >= sizeof path) return nullptr;
  void* const loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) why = dlerror();
  return loaded;
}

}  // namespace leadline::runtime
