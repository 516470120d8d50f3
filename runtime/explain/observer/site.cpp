#include "runtime/explain/observer/site.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace leadline::explain {
namespace {

bool is_in_library(const void* site) {
  // Few places are asked for, and again and again. The C library has little room for the memory of
  // threads of a library that is loaded late, and refuses one that wants more.
  constexpr std::size_t kPlaces = 16;
  struct Known {
    const void* site = nullptr;
    bool in_library = false;
  };
  static thread_local Known all[kPlaces];
  Known& known = all[(reinterpret_cast<std::uintptr_t>(site) >> 2U) % kPlaces];
  if (known.site == site) return known.in_library;
  Dl_info object;
  known = {.site = site, .in_library = false};
  if (dladdr(site, &object) != 0 && object.dli_fname != nullptr) {
    const char* const slash = std::strrchr(object.dli_fname, '/');
    const char* const name = slash != nullptr ? slash + 1 : object.dli_fname;
    known.in_library = std::strncmp(name, "libmpi", 6) == 0 ||
                       std::strncmp(name, "liboshmem", 9) == 0 ||
                       std::strncmp(name, "libleadline", 11) == 0;
  }
  return known.in_library;
}

std::string program_file(const char* called) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const bool known = length > 0 && static_cast<std::size_t>(length) < sizeof path;
  return known ? std::string(path, static_cast<std::size_t>(length)) : std::string(called);
}

_Unwind_Reason_Code look_at(_Unwind_Context* frame, void* argument) {
  const auto* const site = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
  if (is_in_library(site)) return _URC_NO_REASON;
  *static_cast<const void**>(argument) = site;
  return _URC_END_OF_STACK;
}

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

// A file's bytes, of which none beyond the end are given out.
class Bytes {
 public:
  explicit Bytes(const std::string& file) {
    const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (opened < 0) return;
    if (fstat(opened, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened, 0);
      if (mapped != MAP_FAILED) {
        bytes_ = static_cast<const std::byte*>(mapped);
        size_ = size;
      }
    }
    close(opened);
  }
  ~Bytes() {
    if (bytes_ != nullptr) munmap(const_cast<std::byte*>(bytes_), size_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  template <typename Type>
  const Type* at(std::size_t offset, std::size_t count = 1) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(Type)) return nullptr;
    return reinterpret_cast<const Type*>(bytes_ + offset);
  }

 private:
  const std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};

std::string name_at(const Bytes& bytes, const Section& names, std::size_t offset) {
  const char* const all = bytes.at<char>(names.sh_offset, names.sh_size);
  if (all == nullptr || offset >= names.sh_size) return {};
  return {all + offset, strnlen(all + offset, names.sh_size - offset)};
}

// The function at `address`, as the file counts addresses; empty where the file is stripped, or
// cannot be read. Only the table of symbols has those of programs, as a rule.
std::string function_in_file(const std::string& file, std::uintptr_t address) {
  const Bytes bytes(file);
  const auto* const header = bytes.at<Header>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto* const sections = bytes.at<Section>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return {};
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const Section& section = sections[i];
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum) continue;
    const std::size_t count = section.sh_size / sizeof(Symbol);
    const auto* const symbols = bytes.at<Symbol>(section.sh_offset, count);
    for (std::size_t j = 0; symbols != nullptr && j < count; ++j) {
      const Symbol& symbol = symbols[j];
      const bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
      if (is_function && address >= symbol.st_value && address - symbol.st_value < symbol.st_size) {
        return name_at(bytes, sections[section.sh_link], symbol.st_name);
      }
    }
  }
  return {};
}

}  // namespace

const void* site_in_program(const void* site) {
  if (!is_in_library(site)) return site;
  const void* found = site;
  _Unwind_Backtrace(look_at, static_cast<void*>(&found));
  return found;
}

SiteName name_site(const void* site) {
  // The call is before the place to which it returns.
  const auto address = reinterpret_cast<std::uintptr_t>(site) - 1;
  Dl_info object{};
  link_map* map = nullptr;
  const int found = dladdr1(reinterpret_cast<const void*>(address), &object,
                            reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  SiteName name;
  char number[32];
  const bool known = found != 0 && map != nullptr;
  std::snprintf(number, sizeof number, "0x%zx", known ? address - map->l_addr : address);
  name.address = number;
  if (!known) return name;
  // The kernel knows the program's file where it was called without its folder.
  const bool is_program = map->l_name == nullptr || *map->l_name == '\0';
  name.object = is_program ? program_file(object.dli_fname) : object.dli_fname;
  name.function = function_in_file(name.object, address - map->l_addr);
  if (name.function.empty() && object.dli_sname != nullptr) name.function = object.dli_sname;
  int status = 0;
  char* const demangled = abi::__cxa_demangle(name.function.c_str(), nullptr, nullptr, &status);
  if (status == 0 && demangled != nullptr) name.function = demangled;
  std::free(demangled);
  return name;
}

}  // namespace leadline::explain
