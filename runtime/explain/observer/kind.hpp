// What calls are, and whom a collective makes wait for whom.
#pragma once

#include <cstdint>

namespace leadline::explain {

// As the file has them.
enum Kind : std::uint8_t {
  kNToN = 1,
  kOneToN = 2,
  kNToOne = 3,
  kScan = 4,
  kSend = 5,
  kReceive = 6,
  kExchange = 7,
  kStart = 8,
  kCompletion = 9,
  kTest = 10,
  kOneSided = 11,
  kSynchronisation = 12,
  kFile = 13,
  kSetUp = 14,
  kOther = 15,
  kWait = 16,  // until another rank has written
};

enum Shape : std::uint8_t { kByKind, kAll, kFromRoot, kToRoot, kFromLower };

constexpr Shape whom(Kind kind) {
  switch (kind) {
    case kOneToN:
      return kFromRoot;
    case kNToOne:
      return kToRoot;
    case kScan:
      return kFromLower;
    default:
      return kAll;
  }
}

// A function as an API's own list has it.
struct Named {
  const char* name;
  Kind kind;
};

// Each API has these. By the numbers of entries; 0 is none.
extern const char kApi[];
Named named(int function);
extern const int function_count;

}  // namespace leadline::explain
