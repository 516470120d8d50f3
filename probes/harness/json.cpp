#include "harness/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace leadline::probe {

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += character;
    } else if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      quoted += escape;
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  // The shortest text of 100000 is 1e+05, which readers do not take for an integer.
  if (value == std::trunc(value) && std::abs(value) < 0x1p53) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end};
}

JsonObject& JsonObject::add_json(std::string_view name, std::string_view json) {
  if (!members_.empty()) members_ += ',';
  members_ += json_string(name);
  members_ += ':';
  members_ += json;
  return *this;
}

std::string JsonObject::text() const {
  std::string object(1, '{');
  object += members_;
  object += '}';
  return object;
}

JsonObject& JsonObject::add(std::string_view name, std::string_view text) {
  return add_json(name, json_string(text));
}

JsonObject& JsonObject::add(std::string_view name, double value) {
  return add_json(name, json_number(value));
}

JsonObject& JsonObject::add(std::string_view name, bool value) {
  return add_json(name, value ? "true" : "false");
}

}  // namespace leadline::probe
