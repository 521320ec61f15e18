// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"

namespace atl::runtime {
namespace {

TEST(LaunchOrder, RejectsABodyOfAnotherLength) {
  std::string body =
      pack(Order{.first_pe = 2, .pes = 2, .npes = 4, .host = "b", .programs = {{.command = {"a", "b"}}}});
  EXPECT_EQ(unpack_order(body).programs.at(0).command, (std::vector<std::string>{"a", "b"}));
  for (std::size_t bytes = 0; bytes < body.size(); ++bytes)
    EXPECT_THROW(unpack_order(std::string_view(body).substr(0, bytes)), SetupError) << bytes;
  EXPECT_THROW(unpack_order(body + "x"), SetupError);
}

TEST(LaunchOrder, RejectsInconsistentValues) {
  Order good{.first_pe = 2, .pes = 2, .npes = 4, .programs = {{.command = {"a"}}}};
  EXPECT_NO_THROW(unpack_order(pack(good)));
  Order idle{.first_pe = 4, .pes = 0, .npes = 4, .idle_hosts = {"b"}, .programs = {{.command = {"a"}}}};
  EXPECT_EQ(unpack_order(pack(idle)).idle_hosts, idle.idle_hosts);
  for (auto spoil :
       {+[](Order& order) { order.pes = 3; }, +[](Order& order) { order.first_pe = 4; },
        +[](Order& order) { order.npes = 65537; }, +[](Order& order) { order.pes = UINT32_MAX; },
        +[](Order& order) { order.programs.clear(); }, +[](Order& order) { order.programs.push_back({}); }}) {
    Order bad = good;
    spoil(bad);
    EXPECT_THROW(unpack_order(pack(bad)), SetupError);
  }
}

}  // namespace
}  // namespace atl::runtime
