// Just enough JSON to write records: strings, finite numbers, flat objects and arrays.
#pragma once

#include <string>
#include <string_view>

namespace leadline::probe {

std::string json_string(std::string_view text);

// `null` for a number that JSON cannot express.
std::string json_number(double value);

// An object whose members appear in the order in which they were added.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, std::string_view text);
  JsonObject& add(std::string_view name, const char* text) {
    return add(name, std::string_view(text));
  }
  JsonObject& add(std::string_view name, double value);
  JsonObject& add(std::string_view name, int value) {
    return add(name, static_cast<double>(value));
  }
  JsonObject& add(std::string_view name, bool value);
  // `json` is written as it stands.
  JsonObject& add_json(std::string_view name, std::string_view json);
  std::string text() const;

 private:
  std::string members_;
};

// "[a,b,c]" of the texts that `each` returns for the items of `range`.
template <typename Range, typename Function>
std::string json_array(const Range& range, Function each) {
  std::string text(1, '[');
  for (const auto& item : range) {
    if (text.size() > 1) text += ',';
    text += each(item);
  }
  text += ']';
  return text;
}

}  // namespace leadline::probe
