#include "runtime/profile/toml.hpp"

#include <cctype>
#include <charconv>
#include <map>
#include <stdexcept>
#include <utility>

namespace leadline::runtime::toml {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Entry> all() {
    std::vector<Entry> entries;
    std::map<std::string, int> tables;
    std::string table;
    int index = -1;
    for (skip(true); !at_end(); skip(true)) {
      if (peek() == '[') {
        expect("[[");
        table = key();
        expect("]]");
        index = tables[table]++;
      } else {
        const int line = line_;
        std::string name = key();
        skip(false);
        expect("=");
        skip(false);
        entries.push_back({line, table, index, std::move(name), value()});
      }
      skip(false);
      if (!at_end() && peek() != '\n') fail("a line holds one key or one header");
    }
    return entries;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("line " + std::to_string(line_) + ": " + what);
  }
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return text_[at_]; }
  void next() {
    if (peek() == '\n') ++line_;
    ++at_;
  }
  // Blanks and comments, and ends of lines if wanted.
  void skip(bool lines) {
    while (!at_end()) {
      if (peek() == '#') {
        while (!at_end() && peek() != '\n') next();
      } else if (peek() == ' ' || peek() == '\t' || peek() == '\r' || (lines && peek() == '\n')) {
        next();
      } else {
        return;
      }
    }
  }
  void expect(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("\"" + std::string(word) + "\" expected");
    at_ += word.size();
  }
  std::string key() {
    std::string key;
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_')) {
      key += peek();
      next();
    }
    if (key.empty()) fail("a key of letters, digits and _ expected");
    return key;
  }
  Value value() {
    if (at_end()) fail("a value expected");
    if (peek() == '"') return string();
    if (peek() != '[') return number();
    std::vector<double> row;
    array(row);
    return row;
  }
  std::string string() {
    std::string string;
    for (next(); !at_end() && peek() != '"'; next()) {
      if (peek() == '\n') fail("a string ends on its line");
      if (peek() == '\\') {
        next();
        if (at_end() || (peek() != '"' && peek() != '\\')) fail("only \\\" and \\\\ are known");
      }
      string += peek();
    }
    expect("\"");
    return string;
  }
  double number() {
    double number = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc{}) fail("a number, a string or an array expected");
    at_ += static_cast<std::size_t>(end - begin);
    return number;
  }
  void array(std::vector<double>& row) {
    expect("[");
    for (skip(true); !at_end() && peek() != ']'; skip(true)) {
      if (peek() == '[') {
        array(row);
      } else {
        row.push_back(number());
      }
      skip(true);
      if (!at_end() && peek() == ',') next();
    }
    expect("]");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Entry> parse(std::string_view text) { return Reader(text).all(); }

}  // namespace leadline::runtime::toml
