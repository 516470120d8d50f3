#include "runtime/explain/observer/python.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace leadline::explain {
namespace {

using Address = const std::byte*;
constexpr int kNone = -1;

// Where CPython 3.`minor` keeps what, in bytes from where an object begins, in all its releases:
// its pystate.h, frameobject.h, pycore_frame.h, code.h and unicodeobject.h say so. Only versions
// that were tried are here.
struct Layout {
  int minor;
  int first, behind;                     // of a thread: its frame, or what has it `behind`
  int code, caller, instruction, owner;  // of a frame
  int file, function, begin;             // of a code; instructions are addresses from `begin` on,
  int unit;                              // or count units of so many bytes
  int ascii, wide;                       // of a text: its characters
};
constexpr Layout kLayouts[] = {
    {9, 24, kNone, 32, 24, 104, kNone, 104, 112, 0, 1, 48, 72},
    {10, 24, kNone, 32, 24, 96, kNone, 104, 112, 0, 2, 48, 72},
    {11, 56, 8, 32, 48, 56, kNone, 112, 128, 184, 0, 48, 72},
    {12, 56, 0, 0, 8, 56, 70, 112, 128, 192, 0, 40, 56},
    {13, 72, kNone, 0, 8, 56, 70, 112, 128, 200, 0, 40, 56},
};
constexpr std::byte kBegunByC{3};         // an owner: it is no function of the program's
constexpr int kType = 8;                  // of any object, but where Python has no lock
constexpr int kLength = 16, kState = 32;  // of a text

struct Python {
  const Layout* layout = nullptr;
  Address (*thread)() = nullptr;
  int (*is_ending)() = nullptr;
  int (*line)(Address code, int offset) = nullptr;  // touches no count of references
  Address code_type = nullptr, text_type = nullptr;
} python;

// The kernel reads a mask before it refuses what is to be done with it.
bool is_readable(Address bytes) {
  return syscall(SYS_rt_sigprocmask, -1, bytes, nullptr, 8) == 0 || errno != EFAULT;
}

template <typename Type = Address, bool kCareful = true>
Type load(Address from, int offset) {
  Type found{};
  if (from == nullptr || (kCareful && !is_readable(from + offset))) return found;
  std::memcpy(&found, from + offset, sizeof found);
  return found;
}

template <bool kCareful>
PythonFrame frame_from(Address frame) {
  const Layout& layout = *python.layout;
  // No two frames in a row are without a function.
  for (int tried = 0; frame != nullptr && tried < 4; ++tried) {
    const auto code = load<Address, kCareful>(frame, layout.code);
    const bool is_code = load<Address, kCareful>(code, kType) == python.code_type;
    const bool has_owner = layout.owner != kNone;
    const auto owner = has_owner ? load<std::byte, kCareful>(frame, layout.owner) : std::byte{0};
    if (is_code && owner < kBegunByC) {
      const auto at = layout.unit == 0 ? load<std::uint64_t, kCareful>(frame, layout.instruction)
                                       : load<std::uint32_t, kCareful>(frame, layout.instruction);
      return {.frame = frame, .code = code, .instruction = at};
    }
    frame = load<Address, kCareful>(frame, layout.caller);
  }
  return {};
}

template <bool kCareful>
PythonFrame innermost() {
  // What threads have is freed when Python ends, also while they run.
  if (python.is_ending() != 0) return {};
  const Layout& layout = *python.layout;
  const auto first = load<Address, kCareful>(python.thread(), layout.first);
  return frame_from<kCareful>(
      layout.behind == kNone ? first : load<Address, kCareful>(first, layout.behind));
}

template <typename Type>
bool find(Type*& there, const char* name) {
  there = reinterpret_cast<Type*>(dlsym(RTLD_DEFAULT, name));
  return there != nullptr;
}

bool find_python() {
  if (python.layout != nullptr) return true;
  Python found;
  const char* (*version)() = nullptr;
  Address type_type = nullptr;
  const bool is_there =
      find(version, "Py_GetVersion") && find(found.thread, "PyGILState_GetThisThreadState") &&
      (find(found.is_ending, "Py_IsFinalizing") || find(found.is_ending, "_Py_IsFinalizing")) &&
      find(found.line, "PyCode_Addr2Line") && find(found.code_type, "PyCode_Type") &&
      find(found.text_type, "PyUnicode_Type") && find(type_type, "PyType_Type");
  if (!is_there || load(found.code_type, kType) != type_type) return false;
  const std::string_view number = version();
  for (const Layout& each : kLayouts) {
    if (number.starts_with("3." + std::to_string(each.minor) + '.')) found.layout = &each;
  }
  python = found;
  return python.layout != nullptr;
}

// Empty where it is none that is in one piece.
std::string read_text(Address text) {
  constexpr std::uint32_t kCompact = 0x20, kAscii = 0x40;
  const auto length = load<std::size_t>(text, kLength);
  const auto state = load<std::uint32_t>(text, kState);
  const std::size_t width = state >> 2U & 7U;
  const bool is_text = load(text, kType) == python.text_type && (state & kCompact) != 0;
  if (!is_text || width > 4 || length > 4096) return {};
  text += (state & kAscii) != 0 ? python.layout->ascii : python.layout->wide;
  std::string found;
  for (Address end = text + length * width; text != end; text += width) {
    std::uint32_t character = 0;
    std::memcpy(&character, text, width);  // the lowest bytes come first
    constexpr unsigned kFirst[] = {0, 0xC0, 0xE0, 0xF0};
    unsigned more = (character > 0x7F) + (character > 0x7FF) + (character > 0xFFFF);
    found += static_cast<char>(kFirst[more] | character >> (6 * more));
    while (more-- > 0) found += static_cast<char>(0x80 | (character >> (6 * more) & 0x3F));
  }
  return found;
}

std::string object_of(const void* site) {
  Dl_info object{};
  return dladdr(site, &object) != 0 && object.dli_fname != nullptr ? object.dli_fname : "";
}

bool is_in_extension(const void* site) {
  const std::string object = object_of(site);
  const std::string name = object.substr(object.rfind('/') + 1);
  void* const opened = dlopen(object.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return false;
  const bool found = dlsym(opened, ("PyInit_" + name.substr(0, name.find('.'))).c_str()) != nullptr;
  dlclose(opened);
  return found;
}

}  // namespace

bool leads_to_python(const void* site) {
  return is_in_extension(site) && find_python() && name_frame(innermost<true>()).has_value();
}

PythonFrame innermost_frame() { return innermost<false>(); }

PythonFrame caller_of(const PythonFrame& frame) {
  return frame_from<false>(load<Address, false>(frame.frame, python.layout->caller));
}

bool is_passed_over(const PythonFrame& frame, const void* site) {
  const std::string file = read_text(load(frame.code, python.layout->file));
  const std::string object = object_of(site);
  const std::string folder = object.substr(0, object.rfind('/') + 1);
  return file.starts_with("<frozen ") || (folder.ends_with("/mpi4py/") && file.starts_with(folder));
}

std::optional<SiteName> name_frame(const PythonFrame& frame) {
  const Layout& layout = *python.layout;
  const std::string file = read_text(load(frame.code, layout.file));
  const std::string function = read_text(load(frame.code, layout.function));
  if (file.empty() || function.empty()) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(frame.code + layout.begin);
  const auto unit = static_cast<unsigned>(layout.unit);
  const std::uint64_t offset = unit == 0 ? frame.instruction - first : frame.instruction * unit;
  if (offset > 1U << 28U) return {};
  const int line = python.line(frame.code, static_cast<int>(offset));
  if (line <= 0) return {};
  char text[160];
  const char* const name = file.c_str() + file.rfind('/') + 1;
  std::snprintf(text, sizeof text, "%.80s (%.60s:%d)", function.c_str(), name, line);
  return SiteName{.function = text, .object = file, .address = ""};
}

}  // namespace leadline::explain
