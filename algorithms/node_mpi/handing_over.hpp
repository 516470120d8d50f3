// An open file handed to other processes of the node, where they cannot open it themselves.
//
// It travels through a socket whose name is in no folder, so nothing stays behind of processes that
// are killed.
#pragma once

namespace leadline::node {

// A file descriptor, or none; closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }
  void close();

 private:
  int release();
  int number_ = -1;
};

// As the kernel chose it.
struct SocketName {
  char bytes[16];
  unsigned length;  // 0: there is none
};

// A socket to which so many processes can connect before anything is accepted.
Descriptor listen_for(int processes, SocketName& name);

// Does not wait. Not open where that fails.
Descriptor connect_to(const SocketName& name);

// To as many processes of this user as are connected; the rest find their sockets closed when
// `listening` is. Whether there were as many as expected.
bool hand_over(int file, int processes, const Descriptor& listening);

// Waits for the file. Not open where nothing was sent.
Descriptor take_over(const Descriptor& connected);

}  // namespace leadline::node
