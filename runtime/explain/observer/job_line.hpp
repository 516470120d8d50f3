// The lines of a job's file: a word for what it is about, and fields with a space before each.
#pragma once

#include <cstdio>
#include <string>
#include <type_traits>

namespace leadline::explain {

// A string as one field of a line.
inline std::string field(const std::string& text) {
  if (text.empty()) return "-";
  if (text == "-") return "%2D";
  std::string found;
  for (const char letter : text) {
    if (letter > ' ' && letter < '\x7f' && letter != '%') {
      found += letter;
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(letter));
      found += code;
    }
  }
  return found;
}

template <typename... Fields>
std::string line(const std::string& what, const Fields&... fields) {
  std::string found = what;
  [[maybe_unused]] const auto put = [&found](const auto& each) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(each)>>) {
      found += ' ' + std::to_string(each);
    } else {
      found += ' ' + each;
    }
  };
  (put(fields), ...);
  return found + '\n';
}

}  // namespace leadline::explain
