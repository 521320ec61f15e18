// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/control/frame.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "atoll/base/error.hpp"
#include "atoll/bootstrap/control/link.hpp"

namespace atl::runtime {
namespace {

TEST(Frame, UnpacksPackedValues) {
  std::string bytes("\0\xff\n", 3);
  std::string body = Packer()
                         .number(0xFEDCBA98)
                         .text(bytes)
                         .texts({"", "two"})
                         .entries({{7, "k", "value"}, {8, "", bytes}})
                         .raw("rest")
                         .body();
  EXPECT_EQ(body.substr(0, 4), "\x98\xBA\xDC\xFE");  // little-endian, whatever the machine
  Unpacker reader(body);
  EXPECT_EQ(reader.number(), 0xFEDCBA98u);
  EXPECT_EQ(reader.text(), bytes);
  EXPECT_EQ(reader.texts(), (std::vector<std::string>{"", "two"}));
  auto entries = reader.entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].rank, 7u);
  EXPECT_EQ(entries[0].key, "k");
  EXPECT_EQ(entries[1].value, bytes);
  EXPECT_EQ(reader.rest(), "rest");
  EXPECT_THROW(reader.end(), SetupError);
}

TEST(Frame, RejectsCountsThatTheBodyCannotHold) {
  EXPECT_THROW(Unpacker("\xff\xff\xff\xff").texts(), SetupError);
  EXPECT_THROW(Unpacker("\xff\xff\xff\xff").entries(), SetupError);
}

// An address space that grows by no more than that while it lives.
class LimitedMemory {
 public:
  explicit LimitedMemory(std::size_t growth) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + growth;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~LimitedMemory() { EXPECT_EQ(::setrlimit(RLIMIT_AS, &before_), 0); }
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;

 private:
  rlimit before_{};
};

// An entry takes 12 bytes in a body, and 72 in memory.
TEST(Frame, ReservesNoMemoryForEntriesThatTheBodyCannotHold) {
  constexpr std::size_t count = std::size_t{4} << 20;
  const std::string body = Packer().number(count).body() + std::string(count, '\0');
  LimitedMemory limited(std::size_t{128} << 20);
  EXPECT_THROW((void)Unpacker(body).entries(), SetupError);
  EXPECT_THROW((void)Unpacker(body).texts(), SetupError);
}

class Pair {
 public:
  Pair() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    link = std::make_unique<Link>(ends[0], 1000);
    other = ends[1];
  }
  ~Pair() {
    if (other >= 0) ::close(other);
  }
  void write(std::string_view bytes) {
    EXPECT_EQ(::write(other, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::unique_ptr<Link> link;
  int other;
};

TEST(Link, FramesArriveWholeHoweverTheyAreCut) {
  Pair pair;
  std::string stream = frame_header(FrameKind::hello, 3) + "abc" + frame_header(FrameKind::done, 0) +
                       frame_header(FrameKind::output, 1000) + std::string(1000, 'x');
  std::vector<Frame> found;
  for (char byte : stream) {
    pair.write({&byte, 1});
    EXPECT_TRUE(pair.link->receive());
    while (auto frame = pair.link->next()) found.push_back(*frame);
  }
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].body, "abc");
  EXPECT_EQ(found[1].kind, FrameKind::done);
  EXPECT_EQ(found[2].body, std::string(1000, 'x'));
}

TEST(Link, DeliversFramesThatPrecedeTheEnd) {
  Pair pair;
  pair.write(frame_header(FrameKind::done, 0));
  ::close(std::exchange(pair.other, -1));
  EXPECT_FALSE(pair.link->receive());
  EXPECT_EQ(pair.link->fault(), "it closed the connection");
  auto frame = pair.link->next();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->kind, FrameKind::done);
  pair.link->send(FrameKind::done);  // the peer is gone: no signal, no wait
  EXPECT_EQ(pair.link->unsent_bytes(), 0u);
}

TEST(Link, AFrameBeyondTheLimitIsAnError) {
  Pair pair;
  pair.write(frame_header(FrameKind::output, 1001));
  EXPECT_TRUE(pair.link->receive());
  EXPECT_THROW(pair.link->next(), SetupError);
}

TEST(Link, SendingNeverWaits) {
  Pair pair;
  std::string body(std::size_t{8} << 20, 'y');
  pair.link->send(FrameKind::output, body);
  EXPECT_GT(pair.link->unsent_bytes(), 0u);
  std::size_t got = 0;
  std::vector<char> buffer(1 << 20);
  while (got < frame_header_bytes + body.size()) {
    got += static_cast<std::size_t>(::read(pair.other, buffer.data(), buffer.size()));
    pair.link->flush();
  }
  EXPECT_EQ(pair.link->unsent_bytes(), 0u);
}

}  // namespace
}  // namespace atl::runtime
