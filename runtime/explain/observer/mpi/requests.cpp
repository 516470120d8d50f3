#include "runtime/explain/observer/mpi/requests.hpp"

namespace leadline::explain {
namespace {

constexpr int kBucketBits = 11;
constexpr int kInBucket = 8;
Request table[std::size_t{1} << kBucketBits][kInBucket];
std::atomic_flag table_guard;

Request* bucket(u64 handle) { return table[(handle * 0x9E3779B97F4A7C15U) >> (64 - kBucketBits)]; }

}  // namespace

Requests::Requests() : guard_(table_guard) {}

Request* Requests::find(MPI_Request handle) {
  const u64 bits = handle_bits(handle);
  Request* const all = bucket(bits);
  for (int i = 0; i < kInBucket; ++i) {
    if (all[i].what != Request::kFree && all[i].handle == bits) return &all[i];
  }
  return nullptr;
}

void Requests::remove(Request& request) {
  request.what = Request::kFree;
  release(request.comm);
}

void put_request(const Request& request) {
  const Guard guard(table_guard);
  Request* const all = bucket(request.handle);
  Request* place = nullptr;
  for (int i = 0; i < kInBucket; ++i) {
    if (all[i].what == Request::kFree) {
      if (place == nullptr) place = &all[i];
    } else if (all[i].handle == request.handle) {
      // One that was completed at once, whose handle came again.
      release(all[i].comm);
      place = &all[i];
      break;
    }
  }
  if (place == nullptr) return lose(&Block::lost_requests);
  if (request.comm != nullptr) retain(*request.comm);
  *place = request;
}

void begin_transfer(Request& request, u64 now) {
  request.is_active = true;
  if (request.comm == nullptr) return;
  if (request.sends) {
    count_message(request.comm->world(request.to), request.bytes);
    request.sent = add_message(*request.comm, request.to, request.tag, now);
  }
  if (request.receives) {
    request.awaited = await_message(*request.comm, request.source, request.source_tag, now);
  }
}

}  // namespace leadline::explain
