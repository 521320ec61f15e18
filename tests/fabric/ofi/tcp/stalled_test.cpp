// SPDX-License-Identifier: Apache-2.0
// More messages than there are posted receives, from more peers than are looked at each time.
#ifdef ATOLL_HAS_LIBFABRIC
#include <poll.h>

#include "members.hpp"

namespace atl::fabric::ofi {
namespace {

constexpr std::uint32_t senders = 5;

TEST_F(Members, MessagesThatFoundNoPostedReceiveArriveWhenOneIsPosted) {
  constexpr std::size_t messages_each = 4;
  constexpr int idle_looks = 50;
  Member receiver{100};
  std::vector<std::unique_ptr<Member>> members;
  std::vector<fi_addr_t> to;
  for (std::uint32_t pe = 0; pe < senders; ++pe) {
    members.push_back(std::make_unique<Member>(pe));
    to.push_back(introduce(*members.back(), address_of(receiver)));
    (void)introduce(receiver, address_of(*members.back()));
  }
  std::vector<std::size_t> sent(senders);
  // Until the kernel has all.
  auto send_until = [&](std::size_t count) {
    for (bool all = false; !all;) {
      all = true;
      for (std::uint32_t i = 0; i < senders; ++i) {
        if (sent[i] < count && members[i]->send("message", to[i]) == 0) ++sent[i];
        members[i]->look();
        all = all && sent[i] == count;
      }
      if (count == 1) receiver.look();
    }
  };
  send_until(1);
  while (receiver.messages.size() < senders) receiver.look();
  send_until(messages_each);

  // Receives are kept until no message finds one, and all that was sent has been read: what is still on its way would
  // have the kernel tell of its connection.
  std::vector<Operation*> kept;
  for (int idle = 0; idle < idle_looks; ++idle) {
    for (const Completion& one : receiver.device->completions()) {
      auto& operation = *static_cast<Operation*>(one.op_context);
      if (operation.kind != Operation::Kind::receive) continue;
      receiver.device->note_filled(operation);
      kept.push_back(&operation);
      idle = 0;
    }
    ::poll(nullptr, 0, 1);
  }
  const std::size_t before = receiver.messages.size() + kept.size();
  ASSERT_LT(before, senders * messages_each) << "there are receives for all";
  for (Operation* operation : kept) receiver.device->give_back_receive(*operation);
  receiver.device->replenish();
  for (Deadline deadline = test_deadline(); !deadline.passed();) {
    receiver.look();
    if (receiver.messages.size() + kept.size() == senders * messages_each) break;
  }
  EXPECT_EQ(receiver.messages.size() + kept.size(), senders * messages_each);
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
