// delay PID_FILE DEVICE,SWITCH,ADDRESS,IN,OUT...: the switches of a virtual cluster whose links
// take time. What comes in at a port leaves at that of its destination when the nanoseconds of both
// ports are over, counted from the moment at which the kernel got it; never earlier. A port without
// an address (-) leads to the other switch. Frames keep what the kernel knows of them (checksums
// that are still to be computed, segments that are still to be cut), so that large ones pass whole.
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <queue>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// The longest time that a frame can have waited for this program; a clock that was set says more.
constexpr std::int64_t kLongestWait = kSecond / 100;
constexpr std::size_t kLargestFrame = 70'000;
// A struct virtio_net_hdr, whose header C++ cannot read.
constexpr std::size_t kHead = 10;
// A link holds its rate times its latency at most; more is a fault, and is dropped.
constexpr std::size_t kMostHeld = std::size_t{256} << 20;
// A timer wakes late by some microseconds: this early, the rest of the time is spent looking.
constexpr std::int64_t kEarly = 15'000;

struct Port {
  int socket;
  int switch_number;
  std::string address;  // 6 bytes, or empty for a link between switches
  std::int64_t in;
  std::int64_t out;
};

struct Frame {
  std::int64_t due;
  std::uint64_t order;
  int socket;
  std::vector<char> bytes;  // a virtio_net_hdr, then the frame
};

struct Later {
  bool operator()(const Frame& one, const Frame& other) const {
    return one.due != other.due ? one.due > other.due : one.order > other.order;
  }
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

int open_port(const std::string& device) {
  const int port = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
  if (port < 0) fail("socket");
  const int on = 1;
  const int room = 16 << 20;
  if (setsockopt(port, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0) fail("PACKET_VNET_HDR");
  if (setsockopt(port, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0)
    fail("PACKET_IGNORE_OUTGOING");
  if (setsockopt(port, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) fail("SO_TIMESTAMPNS");
  for (const int option : {SO_RCVBUFFORCE, SO_SNDBUFFORCE}) {
    if (setsockopt(port, SOL_SOCKET, option, &room, sizeof room) != 0) fail("SO_RCVBUFFORCE");
  }
  sockaddr_ll where{};
  where.sll_family = AF_PACKET;
  where.sll_protocol = htons(ETH_P_ALL);
  where.sll_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
  if (where.sll_ifindex == 0) fail(device.c_str());
  if (bind(port, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) fail("bind");
  return port;
}

std::string parse_address(const std::string& text) {
  std::array<unsigned, 6> parts{};
  if (std::sscanf(text.c_str(), "%x:%x:%x:%x:%x:%x", &parts[0], &parts[1], &parts[2], &parts[3],
                  &parts[4], &parts[5]) != 6)
    return {};
  return {parts.begin(), parts.end()};
}

Port parse_port(const std::string& text) {
  std::array<std::string, 5> words;
  std::size_t word = 0;
  for (const char letter : text) {
    if (letter == ',' && word + 1 < words.size())
      ++word;
    else
      words[word] += letter;
  }
  return {open_port(words[0]), std::stoi(words[1]), parse_address(words[2]), std::stoll(words[3]),
          std::stoll(words[4])};
}

// The port through which a frame leaves, or null where there is no way.
const Port* way(const std::vector<Port>& ports, const Port& from, const std::string& destination) {
  const Port* onward = nullptr;
  for (const Port& port : ports) {
    if (port.switch_number != from.switch_number || &port == &from) continue;
    if (port.address == destination) return &port;
    if (port.address.empty()) onward = &port;
  }
  return onward;
}

// When the kernel got the message that was just received, by the monotonic clock.
std::int64_t arrival(msghdr& message) {
  const std::int64_t read = now(CLOCK_MONOTONIC);
  const std::int64_t wall = now(CLOCK_REALTIME);
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
       each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(each), sizeof stamp);
    const std::int64_t waited = wall - (stamp.tv_sec * kSecond + stamp.tv_nsec);
    if (waited >= 0 && waited < kLongestWait) return read - waited;
  }
  return read;
}

class Switches {
 public:
  explicit Switches(std::vector<Port> ports) : ports_(std::move(ports)), buffer_(kLargestFrame) {
    for (const Port& port : ports_) polled_.push_back({port.socket, POLLIN, 0});
  }

  [[noreturn]] void work() {
    while (true) {
      wait();
      for (const Port& port : ports_) {
        while (receive(port)) {
        }
      }
      while (!frames_.empty() && frames_.top().due <= now(CLOCK_MONOTONIC)) send();
    }
  }

 private:
  void wait() {
    if (frames_.empty()) {
      ppoll(polled_.data(), polled_.size(), nullptr, nullptr);
      return;
    }
    const std::int64_t left = frames_.top().due - now(CLOCK_MONOTONIC) - kEarly;
    if (left <= 0) return;
    const timespec time{left / kSecond, left % kSecond};
    ppoll(polled_.data(), polled_.size(), &time, nullptr);
  }

  bool receive(const Port& from) {
    std::array<char, 256> control;
    iovec part{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = recvmsg(from.socket, &message, 0);
    // A port that is down, or gone with its host, says so once.
    if (size < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    if (static_cast<std::size_t>(size) < kHead + ETH_HLEN) return true;
    const std::string destination(buffer_.data() + kHead, ETH_ALEN);
    const Port* to = way(ports_, from, destination);
    if (to == nullptr || held_ + static_cast<std::size_t>(size) > kMostHeld) return true;
    held_ += static_cast<std::size_t>(size);
    frames_.push({arrival(message) + from.in + to->out,
                  order_++,
                  to->socket,
                  {buffer_.data(), buffer_.data() + size}});
    return true;
  }

  void send() {
    const Frame& frame = frames_.top();
    // What does not fit into the queue of a full link is lost, as it is on a switch.
    [[maybe_unused]] const ssize_t sent =
        ::send(frame.socket, frame.bytes.data(), frame.bytes.size(), 0);
    held_ -= frame.bytes.size();
    frames_.pop();
  }

  std::vector<Port> ports_;
  std::vector<pollfd> polled_;
  std::vector<char> buffer_;
  std::priority_queue<Frame, std::vector<Frame>, Later> frames_;
  std::uint64_t order_ = 0;
  std::size_t held_ = 0;
};

void hurry() {
  // Ranks that spin would keep it waiting otherwise; where this is forbidden, links are late.
  sched_param first{};
  first.sched_priority = 1;
  sched_setscheduler(0, SCHED_FIFO, &first);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  mlockall(MCL_CURRENT);
}

void write_number(const std::string& file) {
  const std::string unfinished = file + ".new";
  std::FILE* stream = std::fopen(unfinished.c_str(), "w");
  if (stream == nullptr) fail(file.c_str());
  std::fprintf(stream, "%d\n", static_cast<int>(getpid()));
  std::fclose(stream);
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) fail(file.c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  std::vector<Port> ports;
  for (int word = 2; word < count; ++word) ports.push_back(parse_port(words[word]));
  hurry();
  Switches switches(std::move(ports));
  write_number(words[1]);
  switches.work();
}
