// SPDX-License-Identifier: Apache-2.0
// Each fuzz target over the inputs that are kept for it: seeds, and inputs that once broke something.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.hpp"

namespace atl::fuzz {
namespace {

TEST(FuzzCorpus, DoesNoHarmToAnyTarget) {
  EXPECT_GE(targets().size(), 8u);
  for (const auto& [name, run] : targets()) {
    SCOPED_TRACE(name);
    std::size_t inputs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(ATOLL_FUZZ_CORPUS) / name)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
      ++inputs;
    }
    EXPECT_GT(inputs, 0u);
    run({});
  }
}

}  // namespace
}  // namespace atl::fuzz
