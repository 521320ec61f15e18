// SPDX-License-Identifier: Apache-2.0
// What comes from processes that are not of the job.
#ifdef ATOLL_HAS_LIBFABRIC
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/fabric/network.hpp"
#include "device.hpp"
#include "test_deadline.hpp"

#ifdef __SANITIZE_ADDRESS__
// Closed endpoints leave a little of theirs behind.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() { return "leak:libfabric"; }
#endif

namespace atl::fabric::ofi {
namespace {

constexpr std::uint64_t segment_bytes = std::uint64_t{4} << 20;

// Looks until `ready()`, or until the deadline of a test.
template <class Ready>
bool comes(Endpoint& endpoint, Ready&& ready) {
  for (Deadline deadline = test_deadline(); !ready(); (void)endpoint.poll())
    if (deadline.passed()) return false;
  return true;
}

// A peer of an ended job may still send to an address that is now somebody else's, over a network that knows no
// members.
TEST(Strangers, TheirMessagesAreDropped) {
  config::set(config::Variable::network_security, "none");
  struct Reset {
    ~Reset() { config::set(config::Variable::network_security, "auth"); }
  } reset;
  // Without libfabric there is no network for strangers to be on; what is said tells why.
  if (describe_network().starts_with("none")) GTEST_SKIP() << describe_network();
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::unique_ptr<NetworkEnd>> ends;
  std::vector<std::string> cards;
  for (std::uint32_t node : {0u, 1u}) {
    jobs.push_back(Job::create_loop({.npes = 2, .segment_bytes = segment_bytes, .node_of_pe = {0, 1}, .node = node}));
    ends.push_back(open_network(*jobs[node], PeId(node)));
    cards.push_back(ends[node]->card());
  }
  for (std::uint32_t node = 0; node < 2; ++node) {
    jobs[node]->set_hosts({"reef", "shoal"});
    ends[node]->connect(cards);
  }
  Endpoint sender(jobs[0], PeId(0)), receiver(jobs[1], PeId(1));
  std::uint64_t number = 1;
  auto send = [&] {
    while (sender.try_send(PeId(1), 7, 0, {std::as_bytes(std::span(&number, 1))}) != Status::ok) (void)sender.poll();
  };
  send();
  ASSERT_TRUE(comes(receiver, [&] { return receiver.message_waiting(); }));

  Card card;
  std::memcpy(&card, cards[1].data(), sizeof(card));
  std::vector<std::byte> memory(segment_bytes);
  Device stranger(std::move(find_provider()[0]), {}, memory.data(), memory.size(), 2);
  fi_addr_t address = stranger.add_peer(card);
  ASSERT_NE(address, FI_ADDR_UNSPEC);
  for (std::uint32_t tag : {card.tag + 1, stranger.tag()}) {
    Header header = header_of(MessageType::message);
    header.tag = tag;  // as PE 0 of its job, whose first messages they are
    int status = -FI_EAGAIN;
    ASSERT_TRUE(comes(receiver, [&] {
      (void)stranger.completions();
      return (status = stranger.inject(&header, sizeof(header), address)) == 0;
    })) << error_text(status);
  }
  for (Deadline while_they_come = Deadline::after_ns(300'000'000); !while_they_come.passed(); (void)receiver.poll())
    (void)stranger.completions();
  EXPECT_FALSE(jobs[1]->has_failed()) << jobs[1]->failure();
  number = 2;
  send();
  Inbox& inbox = *receiver.inbox();
  for (std::uint64_t expected : {1u, 2u}) {
    ASSERT_TRUE(comes(receiver, [&] { return !inbox.is_empty(); }));
    EXPECT_EQ(inbox.front().label.source, PeId(0));
    EXPECT_EQ(inbox.front().label.handler, 7u);
    ASSERT_EQ(inbox.front().payload.size(), sizeof(expected));
    EXPECT_EQ(std::memcmp(inbox.front().payload.data(), &expected, sizeof(expected)), 0);
    inbox.pop();
  }
  EXPECT_TRUE(inbox.is_empty());
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
