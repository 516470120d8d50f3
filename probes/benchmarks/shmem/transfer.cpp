#include "benchmarks/shmem/transfer.hpp"

#include <shmem.h>

#include <string>

namespace leadline::probe {
namespace {

constexpr double kLargestStride = 4096;

void put_bytes(const Transfer& transfer) {
  shmem_putmem(transfer.target, transfer.source, transfer.words * kWordBytes, transfer.pe);
}
void put_words(const Transfer& transfer) {
  shmem_put64(transfer.target, transfer.source, transfer.words, transfer.pe);
}
void put_elements(const Transfer& transfer) {
  for (std::size_t i = 0; i < transfer.words; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) * transfer.stride;
    shmem_uint64_p(transfer.target + at, transfer.source[at], transfer.pe);
  }
}
void put_strided(const Transfer& transfer) {
  shmem_iput64(transfer.target, transfer.source, transfer.stride, transfer.stride, transfer.words,
               transfer.pe);
}
void put_bytes_nonblocking(const Transfer& transfer) {
  shmem_putmem_nbi(transfer.target, transfer.source, transfer.words * kWordBytes, transfer.pe);
  shmem_quiet();
}
void put_words_nonblocking(const Transfer& transfer) {
  shmem_put64_nbi(transfer.target, transfer.source, transfer.words, transfer.pe);
  shmem_quiet();
}

void get_bytes(const Transfer& transfer) {
  shmem_getmem(transfer.target, transfer.source, transfer.words * kWordBytes, transfer.pe);
}
void get_words(const Transfer& transfer) {
  shmem_get64(transfer.target, transfer.source, transfer.words, transfer.pe);
}
void get_elements(const Transfer& transfer) {
  for (std::size_t i = 0; i < transfer.words; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) * transfer.stride;
    transfer.target[at] = shmem_uint64_g(transfer.source + at, transfer.pe);
  }
}
void get_strided(const Transfer& transfer) {
  shmem_iget64(transfer.target, transfer.source, transfer.stride, transfer.stride, transfer.words,
               transfer.pe);
}
void get_bytes_nonblocking(const Transfer& transfer) {
  shmem_getmem_nbi(transfer.target, transfer.source, transfer.words * kWordBytes, transfer.pe);
  shmem_quiet();
}
void get_words_nonblocking(const Transfer& transfer) {
  shmem_get64_nbi(transfer.target, transfer.source, transfer.words, transfer.pe);
  shmem_quiet();
}

struct Calls {
  TransferFunction bytes, words, elements, strided, bytes_nonblocking, words_nonblocking;
};

TransferFunction chosen(const Point& point, const Calls& calls) {
  const std::string& unit = point.choice("unit");
  const bool nonblocking = point.choice("kind") == "nonblocking";
  const bool strided = point.integer("stride") > 1;
  if (nonblocking && strided) {
    throw Unavailable("OpenSHMEM has no nonblocking strided transfer: take stride=1");
  }
  if (nonblocking && unit == "element") {
    throw Unavailable("OpenSHMEM has no nonblocking call of one element: take unit=byte or word");
  }
  if (strided && unit == "byte") {
    throw Unavailable("a stride is between elements: take unit=word or element");
  }
  if (unit == "element") return calls.elements;
  if (strided) return calls.strided;
  if (unit == "word") return nonblocking ? calls.words_nonblocking : calls.words;
  return nonblocking ? calls.bytes_nonblocking : calls.bytes;
}

}  // namespace

Axis word_bytes_axis(const char* summary, int minimum_words) {
  Axis axis = bytes_axis("8,80,800,8000,80000,800000,8000000", summary, kWordBytes);
  axis.minimum = static_cast<double>(kWordBytes) * minimum_words;
  return axis;
}

std::vector<Axis> shape_axes(const char* unit_calls, const char* strided_call) {
  Axis unit = choice_axis(
      "unit",
      std::string("what one call moves: bytes, 64-bit words, or one element after the other (")
          .append(unit_calls)
          .append(")"),
      {"byte", "word", "element"});
  unit.quick_values = "byte";
  Axis stride{
      "stride", AxisKind::kInteger,
      std::string("words from one to the next, at both ends; above 1 by ").append(strided_call),
      "1"};
  stride.minimum = 1;
  stride.maximum = kLargestStride;
  return {
      choice_axis("kind",
                  "a blocking call, or a nonblocking one with the shmem_quiet that completes it",
                  {"blocking", "nonblocking"}),
      unit, stride};
}

TransferFunction chosen_put(const Point& point) {
  return chosen(point, {put_bytes, put_words, put_elements, put_strided, put_bytes_nonblocking,
                        put_words_nonblocking});
}

TransferFunction chosen_get(const Point& point) {
  return chosen(point, {get_bytes, get_words, get_elements, get_strided, get_bytes_nonblocking,
                        get_words_nonblocking});
}

Pair pair_of(const World& world) {
  const int half = world.size() / 2;
  return {.first = world.rank() < half, .partner = (world.rank() + half) % world.size()};
}

}  // namespace leadline::probe
