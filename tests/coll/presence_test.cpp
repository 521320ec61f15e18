// SPDX-License-Identifier: Apache-2.0
// What a member says that it has started, read while it goes on.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "atoll/base/clock.hpp"
#include "mailbox.hpp"

namespace atl::coll::detail {
namespace {

// Reads as a peer does: acquire, word by word.
std::uint64_t word_at(const Presence& presence, std::size_t offset) {
  auto* word = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(&presence) + offset);
  return std::atomic_ref<std::uint64_t>(*word).load(std::memory_order_acquire);
}

std::uint32_t digest_of(std::uint64_t sequence) { return static_cast<std::uint32_t>(sequence * 7); }
void announce(Presence& presence, std::uint64_t sequence) {
  presence.announce(sequence, static_cast<std::uint32_t>(sequence % 64), digest_of(sequence));
}
// As far as an announcement has got that is not complete.
void begin_to_announce(Presence& presence, std::uint64_t sequence) {
  presence.checks[sequence % 2].store(digest_of(sequence), std::memory_order_release);
}

TEST(Presence, TheNextIsNotTakenForThisOne) {
  Presence presence{};
  announce(presence, 41);
  begin_to_announce(presence, 42);
  Announced found = Announced::read([&](std::size_t offset) { return word_at(presence, offset); });
  EXPECT_EQ(found.sequence, 41u);
  EXPECT_EQ(found.kind, 41u);
  EXPECT_EQ(found.check, digest_of(41));
}

TEST(Presence, DiscardsATornRead) {
  for (std::uint64_t steps : {1, 2, 3}) {
    Presence presence{};
    announce(presence, 41);
    int words = 0;
    Announced found = Announced::read([&](std::size_t offset) {
      if (++words == 2) {  // behind the number
        for (std::uint64_t i = 1; i <= steps; ++i) announce(presence, 41 + i);
        begin_to_announce(presence, 41 + steps + 1);
      }
      return word_at(presence, offset);
    });
    EXPECT_FALSE(found.check.has_value()) << steps;
  }
}

TEST(Presence, DigestBelongsToTheNumberWhileTheOwnerGoesOn) {
  Presence presence{};
  std::atomic<bool> stop{false};
  std::thread owner([&] {
    for (std::uint64_t sequence = 1; !stop.load(std::memory_order_relaxed); ++sequence) {
      announce(presence, sequence);
      for (std::uint64_t i = 0; i < sequence % 4; ++i) cpu_relax();  // else hardly any is read whole
    }
  });
  std::uint64_t wrong = 0, last = 0;
  for (std::size_t different = 0; different < 3'000;) {
    Announced found = Announced::read([&](std::size_t offset) { return word_at(presence, offset); });
    if (!found.check || found.sequence == 0) continue;
    wrong += *found.check != digest_of(found.sequence) || found.kind != found.sequence % 64;
    different += found.sequence != std::exchange(last, found.sequence);
  }
  stop = true;
  owner.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace atl::coll::detail
