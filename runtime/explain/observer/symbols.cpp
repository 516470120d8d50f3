#include "runtime/explain/observer/symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace leadline::explain {
namespace {

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

}  // namespace

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

}  // namespace leadline::explain
