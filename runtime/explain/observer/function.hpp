// What is known of a function of MPI: its kind, and where its arguments are.
#pragma once

#include <cstdint>

#include "runtime/explain/preload/entry.hpp"

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
};

// Whom a collective makes wait for whom.
enum Shape : std::uint8_t { kByKind, kAll, kFromRoot, kToRoot, kFromLower };

using Place = std::int8_t;
constexpr Place kNone = -1;

// In the order in which the lists of functions name them.
struct Function {
  const char* name = "";
  Place arguments = 0;  // in C; Fortran's ierror comes behind them
  Kind kind = kOther;
  Shape shape = kByKind;
  bool neighbours = false;  // only of them do calls depend
  bool persistent = false;
  bool takes = false;  // a message out of the queue
  Place request_count = kNone;
  Place requests = kNone;
  Place flag = kNone;
  Place finished = kNone;  // how many requests
  Place index = kNone;     // or indices
  Place counts = kNone;    // one a member; of rooted functions, at the root alone
  Place count = kNone;
  Place types = kNone;
  Place type = kNone;
  Place peer = kNone;
  Place tag = kNone;
  Place source = kNone;
  Place source_tag = kNone;
  Place root = kNone;
  Place root_count = kNone;  // in the place of count, at the root
  Place root_type = kNone;
  Place comm = kNone;
  Place win = kNone;
  Place file = kNone;
  bool freed = false;  // the handle is passed by address
  Place status = kNone;
  Place request = kNone;
  Place provided = kNone;
  Place new_comm = kNone;
  Place new_win = kNone;
  Place new_file = kNone;

  constexpr Shape whom() const {
    if (shape != kByKind) return shape;
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
};

// By the numbers of entries; 0 is none.
extern const Function functions[];
extern const int function_count;

}  // namespace leadline::explain
