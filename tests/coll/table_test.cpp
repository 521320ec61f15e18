// SPDX-License-Identifier: Apache-2.0
// Tables of measured algorithms: the line that applies, and errors for lines that cannot be parsed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "atoll/base/error.hpp"
#include "atoll/coll/plan.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/parts.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Table : public ::testing::Test {
 protected:
  ~Table() override { ::unsetenv("ATOLL_COLL_TABLE"); }
  void use(const std::string& text) {
    std::ofstream(path_) << text;
    ::setenv("ATOLL_COLL_TABLE", path_.c_str(), 1);
  }
  std::string chosen(const std::string& collective, std::uint64_t bytes, std::vector<std::uint32_t> node_of) {
    PlanOptions options;
    options.collective = collective, options.bytes = bytes;
    Placement placement(node_of);
    return std::string(Planner(options, placement).algorithm());
  }
  static std::vector<std::uint32_t> one_node(std::size_t pes) { return std::vector<std::uint32_t>(pes, 0); }
  std::string path_ = ::testing::TempDir() + "atoll_table_" + std::to_string(::getpid()) + ".txt";
};

TEST_F(Table, ALineHoldsUpToItsBytesAndForTwiceItsPes) {
  use("# measured\n"
      "allreduce 4 1 64 tree4\n"
      "allreduce 4 1 * central   # from 65 bytes on\n"
      "\n"
      "allreduce 4 2 * halving_doubling\n"
      "alltoallv 4 2 * hierarchical\n");
  EXPECT_EQ(chosen("allreduce", 64, one_node(4)), "tree4");
  EXPECT_EQ(chosen("allreduce", 72, one_node(4)), "central");
  EXPECT_EQ(chosen("allreduce", 8, one_node(7)), "tree4");
  EXPECT_EQ(chosen("allreduce", 8, one_node(8)), "recursive_doubling");
  EXPECT_EQ(chosen("allreduce", 8, one_node(3)), "recursive_doubling");
  EXPECT_EQ(chosen("allreduce", 8, {0, 0, 1, 1}), "halving_doubling");
  EXPECT_EQ(chosen("allreduce", 8, {0, 0, 1, 1, 2, 2}), "halving_doubling");
  EXPECT_EQ(chosen("allreduce", 8, {0, 1, 2, 3}), "recursive_doubling");
  EXPECT_EQ(chosen("alltoallv", 8, {0, 0, 1, 1}), "hierarchical");
  EXPECT_EQ(chosen("broadcast", 8, one_node(4)), "binomial");
}

TEST_F(Table, NamesALineThatCannotBeParsed) {
  auto message = [&](const std::string& text) {
    use(text);
    try {
      (void)chosen("barrier", 0, one_node(2));
    } catch (const ValueError& error) { return std::string(error.what()); }
    return std::string("nothing");
  };
  auto expect = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(message(text).find(part), std::string::npos) << message(text);
  };
  expect("barrier 2 1 * tree2\nnone 2 1 * tree2\n", ":2: 'none' is not a collective");
  expect("barrier 2 1 * oak\n", ":1: barrier has no algorithm 'oak'");
  expect("barrier 0 1 * tree2\n", ":1: accepted are");
  expect("barrier 2 3 * tree2\n", ":1: accepted are");
  expect("barrier 2 1 ten tree2\n", ":1: accepted are");
  expect("barrier 2 1 * tree2 more\n", ":1: accepted are");
  ::setenv("ATOLL_COLL_TABLE", "/nowhere/table", 1);
  EXPECT_THROW((void)chosen("barrier", 0, one_node(2)), ValueError);
}

TEST_F(Table, ReportsDifferentTablesOfMembers) {
  atl::testing::run_pes(2, atl::testing::Fabric::shm, [this](runtime::Context& context) {
    path_ += std::to_string(runtime::Parts(context).one_sided.pe().value());
    use(runtime::Parts(context).one_sided.pe().value() == 0 ? "barrier 2 1 * dissemination\n"
                                                            : "barrier 2 1 64 dissemination\n");
    Communicator all(context);
    all.set_timeout_seconds(5);
    std::string text;
    try {
      all.barrier();
    } catch (const Error& error) { text = error.what(); }
    EXPECT_NE(text.find("their ATOLL_COLL_TABLE differs"), std::string::npos) << text;
  });
}

}  // namespace
}  // namespace atl::coll
