// SPDX-License-Identifier: Apache-2.0
// Messages about guests are the same after packing and unpacking, and malformed ones are refused.
#include "atoll/bootstrap/control/guest_order.hpp"

#include <gtest/gtest.h>

#include "atoll/base/error.hpp"

namespace atl::runtime {
namespace {

GuestProgram program() {
  return {
      .command = {"sail", "--far"}, .count = 3, .directory = "/sea", .note = "7:8:9", .path = "/a:/b", .hosts = {"x"}};
}

void expect_program(const GuestProgram& found) {
  EXPECT_EQ(found.command, program().command);
  EXPECT_EQ(found.count, 3u);
  EXPECT_EQ(found.directory, "/sea");
  EXPECT_EQ(found.note, "7:8:9");
  EXPECT_EQ(found.path, "/a:/b");
  EXPECT_EQ(found.hosts, program().hosts);
}

TEST(GuestOrderTest, WishesComeOutAsTheyWentIn) {
  const GuestWish found = unpack_guest_wish(pack(GuestWish{.request = 5, .room = 1000, .programs = {program()}}));
  EXPECT_EQ(found.request, 5u);
  EXPECT_EQ(found.room, 1000u);
  ASSERT_EQ(found.programs.size(), 1u);
  expect_program(found.programs[0]);
}

TEST(GuestOrderTest, OrdersComeOutAsTheyWentIn) {
  const GuestOrder found =
      unpack_guest_order(pack(GuestOrder{.first = 4, .count = 3, .seats = {{4, 0}, {6, 0}}, .programs = {program()}}));
  EXPECT_EQ(found.first, 4u);
  EXPECT_EQ(found.count, 3u);
  ASSERT_EQ(found.seats.size(), 2u);
  EXPECT_EQ(found.seats[1].pe, 6u);
  expect_program(found.programs.at(0));
}

TEST(GuestOrderTest, NewcomersComeOutAsTheyWentIn) {
  const std::string card("a\0b", 3);
  const Newcomer found = unpack_newcomer(pack(Newcomer{PeId(9), 2, "reef", card}));
  EXPECT_EQ(found.pe, PeId(9));
  EXPECT_EQ(found.node, 2u);
  EXPECT_EQ(found.host, "reef");
  EXPECT_EQ(found.card, card);
}

TEST(GuestOrderTest, MemoriesComeOutAsTheyWentIn) {
  const fabric::JobOptions memory{.npes = 3,
                                  .segment_bytes = (std::uint64_t{5} << 32) + 7,
                                  .threads_per_pe = 2,
                                  .node_of_pe = {0, 0, 1, 2, 3},
                                  .node = 3,
                                  .guests = 9};
  const fabric::JobOptions found = unpack_job_options(pack(memory));
  EXPECT_EQ(found.npes, 3u);
  EXPECT_EQ(found.segment_bytes, memory.segment_bytes);
  EXPECT_EQ(found.threads_per_pe, 2u);
  EXPECT_EQ(found.node_of_pe, memory.node_of_pe);
  EXPECT_EQ(found.node, 3u);
  EXPECT_EQ(found.guests, 9u);
}

TEST(GuestOrderTest, RefusesMemoriesOfNodesThatHaveFirstPes) {
  const fabric::JobOptions good{.npes = 2, .node_of_pe = {0, 1, 2}, .node = 2};
  EXPECT_NO_THROW((void)unpack_job_options(pack(good)));
  for (auto spoil :
       {+[](fabric::JobOptions& one) { one.node = 1; }, +[](fabric::JobOptions& one) { one.node_of_pe.pop_back(); },
        +[](fabric::JobOptions& one) { one.node_of_pe[0] = 1'000'000; },
        +[](fabric::JobOptions& one) { one.npes = 0; }}) {
    fabric::JobOptions bad = good;
    spoil(bad);
    EXPECT_THROW((void)unpack_job_options(pack(bad)), SetupError);
  }
  EXPECT_THROW((void)unpack_job_options(pack(good) + "x"), SetupError);
}

TEST(GuestOrderTest, RefusesWhatIsCutOff) {
  const std::string whole = pack(GuestWish{.request = 1, .room = 2, .programs = {program()}});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THROW((void)unpack_guest_wish(whole.substr(0, bytes)), SetupError) << bytes;
}

TEST(GuestOrderTest, RefusesSeatsOutsideTheCohort) {
  EXPECT_THROW(
      (void)unpack_guest_order(pack(GuestOrder{.first = 4, .count = 2, .seats = {{6, 0}}, .programs = {program()}})),
      SetupError);
  EXPECT_THROW(
      (void)unpack_guest_order(pack(GuestOrder{.first = 4, .count = 2, .seats = {{4, 1}}, .programs = {program()}})),
      SetupError);
}

TEST(GuestOrderTest, RefusesProgramsWithoutACommand) {
  GuestProgram none = program();
  none.command.clear();
  EXPECT_THROW((void)unpack_guest_wish(pack(GuestWish{.request = 1, .room = 2, .programs = {none}})), SetupError);
}

}  // namespace
}  // namespace atl::runtime
