// SPDX-License-Identifier: Apache-2.0
// Which memory is registered, and until when; the network is made up.
#ifdef ATOLL_HAS_LIBFABRIC
#include "registration.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

namespace atl::fabric::ofi {
namespace {

struct Network {
  struct Known {
    fid_mr handle{};  // first: closing gets its address
    Network* network = nullptr;
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::uint64_t access = 0, key = 0;
  };
  static int close(fid* handle) {
    auto* known = reinterpret_cast<Known*>(handle);
    --known->network->registered;
    known->network->last.reset();
    delete known;
    return 0;
  }
  Owned<fid_mr> make(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key) {
    if (refuses) return nullptr;
    static fi_ops operations{.size = sizeof(fi_ops),
                             .close = close,
                             .bind = nullptr,
                             .control = nullptr,
                             .ops_open = nullptr,
                             .tostr = nullptr,
                             .ops_set = nullptr};
    auto* known = new Known{{}, this, static_cast<std::byte*>(memory), bytes, access, key};
    known->handle.fid.ops = &operations;
    last = *known;
    ++registered;
    return Owned<fid_mr>(&known->handle);
  }
  int registered = 0;
  bool refuses = false;
  std::optional<Known> last;
};

class RegistrationsTest : public ::testing::Test {
 protected:
  Network network;
  Registrations registrations{[this](auto... what) { return network.make(what...); }, 3};
  std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  alignas(4096) std::byte memory[4 * 65536];
};

TEST_F(RegistrationsTest, WholePagesAsLongAsTheyAreReferenced) {
  std::byte* inside = memory + page + 5;
  auto loan = registrations.lend(inside, page, FI_WRITE);
  ASSERT_NE(loan, nullptr);
  EXPECT_EQ(network.last->begin, memory + page);
  EXPECT_EQ(network.last->bytes, 2 * page);
  EXPECT_EQ(network.last->access, FI_WRITE);
  auto part = registrations.find(inside + 100, 50, FI_WRITE);  // one operation of the transfer
  EXPECT_EQ(part, loan);
  loan.reset();
  EXPECT_EQ(network.registered, 1);
  part.reset();
  EXPECT_EQ(network.registered, 0);
  EXPECT_EQ(registrations.find(inside, 8, FI_WRITE), nullptr);  // nothing is kept: other memory may lie there soon
}

TEST_F(RegistrationsTest, FindsOnlyRegistrationsThatCoverTheRange) {
  auto loan = registrations.lend(memory + page, page, FI_WRITE);
  EXPECT_EQ(registrations.find(memory + page, page, FI_WRITE), loan);
  EXPECT_EQ(registrations.find(memory + page, page + 1, FI_WRITE), nullptr);
  EXPECT_EQ(registrations.find(memory + page - 1, 1, FI_WRITE), nullptr);
  EXPECT_EQ(registrations.find(memory + 2 * page, 1, FI_WRITE), nullptr);
  EXPECT_EQ(registrations.find(memory + 3 * page, 1, FI_WRITE), nullptr);
  EXPECT_EQ(registrations.find(memory + page, page, FI_READ), nullptr);
}

TEST_F(RegistrationsTest, TwoAtOnceHaveTheirOwn) {
  auto one = registrations.lend(memory, 10, FI_WRITE);
  EXPECT_EQ(network.last->key, 3u);
  auto other = registrations.lend(memory + 100, 10, FI_WRITE);
  EXPECT_EQ(network.last->key, 4u);
  EXPECT_EQ(network.registered, 2);
  one.reset();
  EXPECT_EQ(registrations.find(memory + 100, 10, FI_WRITE), other);
}

TEST_F(RegistrationsTest, ARefusalIsNoError) {
  network.refuses = true;
  EXPECT_EQ(registrations.lend(memory, 10, FI_WRITE), nullptr);
  EXPECT_EQ(registrations.find(memory, 10, FI_WRITE), nullptr);
  network.refuses = false;
  EXPECT_NE(registrations.lend(memory, 10, FI_WRITE), nullptr);
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
