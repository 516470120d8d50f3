#include "algorithms/node_mpi/handing_over.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace leadline::node {
namespace {

Descriptor new_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Anybody on the node may reach the socket.
bool is_this_users(const Descriptor& peer) {
  ucred who{};
  socklen_t length = sizeof who;
  return getsockopt(peer.number(), SOL_SOCKET, SO_PEERCRED, &who, &length) == 0 &&
         who.uid == geteuid();
}

// A message of one byte, with room for one file descriptor.
struct Parcel {
  Parcel() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
  }
  char byte = 0;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  iovec part{.iov_base = &byte, .iov_len = 1};
  msghdr message{};
};

bool send_file(int file, const Descriptor& to) {
  Parcel parcel;
  cmsghdr* const head = CMSG_FIRSTHDR(&parcel.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  return sendmsg(to.number(), &parcel.message, MSG_NOSIGNAL) == 1;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  close();
  number_ = other.release();
  return *this;
}

void Descriptor::close() {
  if (open()) ::close(release());
}

int Descriptor::release() { return std::exchange(number_, -1); }

Descriptor listen_for(int processes, SocketName& name) {
  name.length = 0;
  Descriptor listening = new_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t length = sizeof address.sun_family;  // the kernel finds a name
  const auto* const named = reinterpret_cast<sockaddr*>(&address);
  if (bind(listening.number(), named, length) != 0) return {};
  length = sizeof address;
  if (getsockname(listening.number(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return {};
  }
  const std::size_t bytes = length - sizeof address.sun_family;
  if (bytes > sizeof name.bytes || listen(listening.number(), processes) != 0) return {};
  std::memcpy(name.bytes, address.sun_path, bytes);
  name.length = static_cast<unsigned>(bytes);
  return listening;
}

Descriptor connect_to(const SocketName& name) {
  if (name.length == 0) return {};
  Descriptor connected = new_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.bytes, name.length);
  const auto length = static_cast<socklen_t>(sizeof address.sun_family + name.length);
  if (connect(connected.number(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      !is_this_users(connected)) {
    return {};
  }
  return connected;
}

bool hand_over(int file, int processes, const Descriptor& listening) {
  int handed = 0;
  while (handed < processes) {
    const Descriptor peer(accept4(listening.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer.open()) return false;
    if (!is_this_users(peer)) continue;
    if (!send_file(file, peer)) return false;
    ++handed;
  }
  return true;
}

Descriptor take_over(const Descriptor& connected) {
  Parcel parcel;
  const int flags = fcntl(connected.number(), F_GETFL);
  fcntl(connected.number(), F_SETFL, flags & ~O_NONBLOCK);
  if (recvmsg(connected.number(), &parcel.message, MSG_CMSG_CLOEXEC) != 1) return {};
  const cmsghdr* const head = CMSG_FIRSTHDR(&parcel.message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return {};
  int file = -1;
  std::memcpy(&file, CMSG_DATA(head), sizeof file);
  return Descriptor(file);
}

}  // namespace leadline::node
