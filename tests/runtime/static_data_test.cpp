// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/static_data.hpp"
#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "run_pes.hpp"

// Variables of every kind that a program has.
std::array<std::uint64_t, 64> numbers{7, 11, 13};
static char text[40] = "as it was written";
static std::uint64_t used_bss[1024];
static char unused_bss[std::size_t{1} << 30];  // far more than the tests may touch

namespace atl::runtime {
namespace {

// Where a peer's variable lies in its segment; ~0: in none of the regions.
HeapOffset place_of(const StaticData& data, const void* variable) {
  auto* at = static_cast<const std::byte*>(variable);
  for (const StaticRegion& region : data.regions())
    if (at >= region.begin && at < region.begin + region.bytes)
      return HeapOffset(region.at.value() + static_cast<std::uint64_t>(at - region.begin));
  return HeapOffset(UINT64_MAX);
}

std::uint64_t resident_bytes(Context& context) {
  struct stat info{};
  EXPECT_EQ(::fstat(context.job().descriptor(), &info), 0);
  return static_cast<std::uint64_t>(info.st_blocks) * 512;
}

class Globals : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  void run(const atl::testing::Body& body) {
    std::uint64_t bytes = StaticData::bytes_needed();
    atl::testing::run_pes(GetParam(), atl::testing::Fabric::shm, body,
                          {.segment_bytes = (std::uint64_t{64} << 20) + bytes, .static_bytes = bytes});
  }
};

TEST_P(Globals, AreReachedByPeersAndKeepTheirContents) {
  run([](Context& context) {
    std::uint32_t me = context.pe().value();
    numbers[3] = 100 + me;
    used_bss[1000] = 200 + me;
    StaticData data(context);
    EXPECT_EQ(numbers[0], 7u);
    EXPECT_EQ(numbers[3], 100 + me);
    EXPECT_EQ(used_bss[1000], 200 + me);
    EXPECT_STREQ(text, "as it was written");
    PeId right((me + 1) % context.npes());
    std::uint32_t left = (me + context.npes() - 1) % context.npes();
    EXPECT_EQ(context.get_value<std::uint64_t>(right, place_of(data, &numbers[3])), 100 + right.value());
    EXPECT_EQ(context.get_value<std::uint64_t>(right, place_of(data, &used_bss[1000])), 200 + right.value());
    context.barrier();
    context.put_value<std::uint64_t>(right, place_of(data, &numbers[3]), 300 + me);
    context.put_value<std::uint64_t>(right, place_of(data, &used_bss[1]), 400 + me);
    context.put(right, place_of(data, text), "sent by a peer", 15);
    char* far = unused_bss + sizeof(unused_bss) - 8;
    context.put_value<std::uint64_t>(right, place_of(data, far), 500 + me);
    context.fetch_add<std::uint64_t>(PeId(0), place_of(data, &numbers[5]), 1);
    context.quiet();
    context.barrier();
    EXPECT_EQ(numbers[3], 300 + left);
    EXPECT_EQ(used_bss[1], 400 + left);
    EXPECT_STREQ(text, "sent by a peer");
    EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(far), 500 + left);
    if (me == 0) { EXPECT_EQ(numbers[5], context.npes()); }
    EXPECT_EQ(place_of(data, &context).value(), UINT64_MAX);
    context.barrier();
  });
}

TEST_P(Globals, UnusedBssCostsNothing) {
  run([](Context& context) {
    StaticData data(context);
    context.barrier();
    // 1 GiB of it; what comes from the file is copied, and is 13 MiB under sanitizers.
    EXPECT_LT(resident_bytes(context), (std::uint64_t{64} << 20) * context.npes());
    context.barrier();
  });
}

TEST_P(Globals, ArePrivateAgainAfterwards) {
  run([](Context& context) {
    std::uint32_t me = context.pe().value();
    for (std::uint64_t round = 0; round < 3; ++round) {
      HeapOffset place;
      {
        StaticData data(context);
        EXPECT_EQ(used_bss[7], round);  // of the round before; nothing of it is left in the segment
        place = place_of(data, &used_bss[7]);
        used_bss[7] = round + 1;
        context.barrier();
      }
      EXPECT_EQ(used_bss[7], round + 1);
      context.barrier();
      PeId right((me + 1) % context.npes());
      context.put_value<std::uint64_t>(right, place, 99);
      context.barrier();
      EXPECT_EQ(used_bss[7], round + 1);
      *context.local_pointer<std::uint64_t>(place) = 0;
      context.barrier();
    }
  });
}

TEST_P(Globals, ChildrenOfForkHaveTheirOwn) {
  run([](Context& context) {
    StaticData data(context);
    numbers[10] = 1;
    used_bss[10] = 2;
    int to_child[2];
    ASSERT_EQ(::pipe(to_child), 0);
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      char byte;
      bool told = ::read(to_child[0], &byte, 1) == 1;  // the parent has changed its own by now
      bool right = told && numbers[10] == 1 && used_bss[10] == 2;
      numbers[10] = 3;
      used_bss[10] = 4;
      std::strcpy(text, "of a child");
      pid_t grandchild = ::fork();
      if (grandchild == 0) ::_exit(used_bss[10] == 4 ? 0 : 1);
      int status = -1;
      right = right && ::waitpid(grandchild, &status, 0) == grandchild && status == 0;
      ::_exit(right ? 0 : 1);
    }
    numbers[10] = 5;
    used_bss[10] = 6;
    ASSERT_EQ(::write(to_child[1], "x", 1), 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(numbers[10], 5u);
    EXPECT_EQ(used_bss[10], 6u);
    EXPECT_STREQ(text, "as it was written");
    ::close(to_child[0]);
    ::close(to_child[1]);
    context.barrier();
  });
}

TEST_P(Globals, OfLibrariesThatTheApplicationBringsAreReachedToo) {
  void* library = ::dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto* number = static_cast<long*>(::dlsym(library, "plugin_number"));
  ASSERT_NE(number, nullptr);
  run([number](Context& context) {
    StaticData data(context);
    PeId right((context.pe().value() + 1) % context.npes());
    EXPECT_EQ(*number, 41);
    context.barrier();
    context.put_value<long>(right, place_of(data, number), 1000 + context.pe().value());
    context.barrier();
    EXPECT_EQ(*number, 1000 + (context.pe().value() + context.npes() - 1) % context.npes());
    EXPECT_EQ(place_of(data, stdout).value(), UINT64_MAX);  // libc's own
    context.barrier();
  });
  ::dlclose(library);
}

TEST_P(Globals, OfDifferentProgramsAreRefused) {
  if (GetParam() == 1) return;
  run([](Context& context) {
    bool last = context.pe().value() + 1 == context.npes();
    void* library = last ? ::dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL) : nullptr;
    ASSERT_EQ(library != nullptr, last);
    try {
      StaticData data(context);
      FAIL() << "accepted";
    } catch (const ValueError& error) {
      std::string expected = fmt::format("global data differs among PEs: PE 0 has");
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(fmt::format("PE {} has", context.npes() - 1)), std::string::npos);
    }
    context.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, Globals, ::testing::Values(1u, 2u, 3u, 4u, 5u, 8u));

TEST(StaticDataOfThreads, IsRefused) {
  atl::testing::run_pes(1, atl::testing::Fabric::loop,
                        [](Context& context) { EXPECT_THROW(StaticData{context}, ValueError); });
}

}  // namespace
}  // namespace atl::runtime
