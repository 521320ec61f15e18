// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/directory.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class DirectoryOnPes : public testing::OnPes {};

TEST_P(DirectoryOnPes, OnePeGetsANameAndAllFindItsText) {
  run([](Context& context) {
    Directory& directory = context;
    const std::string mine = "text of PE " + std::to_string(context.pe().value());
    const bool published = directory.publish("service", mine);
    std::uint64_t owners = 0, owner = 0;
    for (std::uint64_t pe = 0; std::uint64_t one : context.exchange(published ? 1 : 0)) {
      owners += one;
      if (one != 0) owner = pe;
      ++pe;
    }
    EXPECT_EQ(owners, 1u);
    EXPECT_EQ(directory.lookup("service"), std::optional<std::string>("text of PE " + std::to_string(owner)));
    EXPECT_EQ(directory.lookup("servic"), std::nullopt);
    context.barrier();
    EXPECT_FALSE(directory.unpublish("service", "another text"));
    context.barrier();
    if (published) { EXPECT_TRUE(directory.unpublish("service", mine)); }
    context.barrier();
    EXPECT_EQ(directory.lookup("service"), std::nullopt);
  });
}

TEST_P(DirectoryOnPes, AFullDirectoryRefusesAName) {
  run([](Context& context) {
    Directory& directory = context;
    if (context.pe() == PeId(0)) {
      for (std::size_t i = 0; i < Directory::directory_entries; ++i)
        EXPECT_TRUE(directory.publish("name" + std::to_string(i), "x"));
      EXPECT_FALSE(directory.publish("one more", "x"));
      EXPECT_TRUE(directory.unpublish("name5", "x"));
      EXPECT_TRUE(directory.publish("one more", std::string(Directory::longest_name, 'y')));
    }
    context.barrier();
    EXPECT_EQ(directory.lookup("one more"), std::optional<std::string>(std::string(Directory::longest_name, 'y')));
  });
}

ATOLL_ON_PES(DirectoryOnPes);

}  // namespace
}  // namespace atl::runtime
