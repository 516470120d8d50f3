// Rows found by their key, in memory that does not grow.
#pragma once

#include <array>
#include <cstddef>

namespace leadline::runtime {

// `Row` has `hash()`, `same(row)`, and `used`, false at first. `kRows` is a power of two.
template <typename Row, std::size_t kRows>
class Table {
 public:
  // The row of the same key, made if there is none; nullptr where there is no room for it.
  Row* find(const Row& key) {
    std::size_t at = key.hash();
    for (std::size_t tried = 0; tried < kRows; ++tried, ++at) {
      Row& row = rows_[at % kRows];
      if (!row.used) {
        row = key;
        row.used = true;
        return &row;
      }
      if (row.same(key)) return &row;
    }
    return nullptr;
  }

  const std::array<Row, kRows>& rows() const { return rows_; }

 private:
  std::array<Row, kRows> rows_{};
};

}  // namespace leadline::runtime
