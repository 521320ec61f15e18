// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/foreign_memory.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "atoll/messaging/matching.hpp"
#include "atoll/runtime/context.hpp"
#include "messages.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

constexpr std::size_t bytes = 100'000;

class Foreign : public testing::OnPes {
 protected:
  void SetUp() override {
    OnPes::SetUp();
    if (fabric() == testing::Fabric::nodes || fabric() == testing::Fabric::ofi) GTEST_SKIP() << "PEs of several nodes";
  }
};

// What this PE's right neighbour shows it: the address of its private memory.
std::uint64_t right_address(Context& context, const std::byte* own) {
  const auto all = context.exchange(reinterpret_cast<std::uintptr_t>(own));
  return all[right_of(context).value()];
}

TEST_P(Foreign, IsReadAndWritten) {
  run([](Context& context) {
    auto own = noise(bytes, context.pe().value());
    const std::uint64_t there = right_address(context, own.data());
    const PeId right = right_of(context);
    std::vector<std::byte> got(bytes);
    EXPECT_TRUE(context.foreign_memory().reaches(right));
    ASSERT_EQ(context.foreign_memory().read(right, got.data(), there, bytes), 0);
    EXPECT_EQ(got, noise(bytes, right.value()));
    context.barrier();
    const auto news = noise(bytes, 100 + context.pe().value());
    ASSERT_EQ(context.foreign_memory().write(right, there, news.data(), bytes), 0);
    context.barrier();
    EXPECT_EQ(own, noise(bytes, 100 + left_of(context).value()));
    EXPECT_TRUE(context.foreign_memory().is_open());
  });
}

// What its owner has freed, say: the next read is of something else.
TEST_P(Foreign, AFailedReadLeavesTheMemoryOpen) {
  if (fabric() != testing::Fabric::shm || npes() < 2) GTEST_SKIP() << "needs processes";
  run([](Context& context) {
    auto own = noise(bytes, context.pe().value());
    const std::uint64_t there = right_address(context, own.data());
    const PeId right = right_of(context);
    std::vector<std::byte> got(bytes);
    EXPECT_EQ(context.foreign_memory().read(right, got.data(), 4096, bytes), EFAULT);
    EXPECT_TRUE(context.foreign_memory().is_open());
    ASSERT_EQ(context.foreign_memory().read(right, got.data(), there, bytes), 0);
    EXPECT_EQ(got, noise(bytes, right.value()));
    context.barrier();
  });
}

// In a namespace of its own a process may have the number of another: here that of its reader.
TEST_P(Foreign, IsNotTakenForAnotherProcess) {
  if (fabric() != testing::Fabric::shm || npes() < 2) GTEST_SKIP() << "needs processes";
  run([](Context& context) {
    auto own = noise(bytes, context.pe().value());
    const std::uint64_t there = right_address(context, own.data());
    const PeId right = right_of(context);
    const pid_t real = context.job().record(right).pid.exchange(::getpid());
    std::vector<std::byte> got(bytes);
    EXPECT_FALSE(context.foreign_memory().reaches(right));
    EXPECT_NE(context.foreign_memory().read(right, got.data(), there, bytes), 0);
    EXPECT_NE(context.foreign_memory().write(right, there, got.data(), bytes), 0);
    EXPECT_FALSE(context.foreign_memory().is_open());
    context.barrier();
    context.job().record(right).pid.store(real);
    EXPECT_EQ(own, noise(bytes, context.pe().value()));
  });
}

// Sets the kernel's answer to later requests to read or write another process's memory.
bool refuse() {
  sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_process_vm_readv},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_process_vm_writev},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog filter{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_P(Foreign, IsNotNeeded) {
  if (fabric() != testing::Fabric::shm || npes() < 2) GTEST_SKIP() << "needs processes";
  run([](Context& context) {
    if (!refuse()) return;
    Matcher matcher(context);
    const auto own = noise(bytes, context.pe().value());
    std::vector<std::byte> got(bytes);
    for (std::uint64_t tag = 0; tag < 3; ++tag) {
      Request send = matcher.send(right_of(context), tag, own);
      EXPECT_EQ(receive_now(matcher, {left_of(context), tag}, got).status, Status::ok);
      EXPECT_EQ(matcher.wait(send).status, Status::ok);
      EXPECT_EQ(got, noise(bytes, left_of(context).value()));
      EXPECT_FALSE(context.foreign_memory().is_open());
    }
  });
}

ATOLL_ON_PES(Foreign);

}  // namespace
}  // namespace atl::runtime
