// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/closest_word.hpp"

#include <gtest/gtest.h>

#include <array>

namespace atl {
namespace {

constexpr std::array<std::string_view, 4> words{"--label", "--hosts", "--hostfile", "-n"};

TEST(ClosestWord, FindsExchangedMissingAndWrongLetters) {
  EXPECT_EQ(closest_word("--lable", words), "--label");
  EXPECT_EQ(closest_word("--host", words), "--hosts");
  EXPECT_EQ(closest_word("--hostfyle", words), "--hostfile");
}

TEST(ClosestWord, PrefersFewerMistakes) { EXPECT_EQ(closest_word("--hostfil", words), "--hostfile"); }

TEST(ClosestWord, IsEmptyWhenNothingIsSimilar) {
  EXPECT_EQ(closest_word("--timeout", words), "");
  EXPECT_EQ(closest_word("", words), "");
}

TEST(ClosestWord, DoesNotCountAPrefixAsLetters) {
  constexpr std::array<std::string_view, 1> names{"ATOLL_PE"};
  EXPECT_EQ(closest_word("ATOLL_XYZ", names), "ATOLL_PE");  // 3 mistakes of 9 letters
  EXPECT_EQ(closest_word("ATOLL_XYZ", names, 6), "");       // 3 mistakes of 3 letters
}

}  // namespace
}  // namespace atl
