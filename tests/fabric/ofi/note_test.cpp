// SPDX-License-Identifier: Apache-2.0
#ifdef ATOLL_HAS_LIBFABRIC
#include "note.hpp"

#include <gtest/gtest.h>

namespace atl::fabric::ofi {
namespace {

TEST(Note, RoundTrips) {
  for (std::uint32_t operand : {0u, 1u, static_cast<std::uint32_t>(Note::most_operand)})
    for (std::uint32_t place : {0u, 1u, 0xFFFu})
      for (std::uint32_t source : {0u, 1u, Note::most_source})
        for (Acknowledge acknowledge : {Acknowledge::never, Acknowledge::later, Acknowledge::at_once})
          for (bool flush : {false, true}) {
            std::uint64_t data = Note{operand, place, source, acknowledge, flush}.data();
            ASSERT_TRUE(Note::is_in(data));
            Note note = Note::from(data);
            EXPECT_EQ(note.operand, operand);
            EXPECT_EQ(note.place, place);
            EXPECT_EQ(note.source, source);
            EXPECT_EQ(note.acknowledge, acknowledge);
            EXPECT_EQ(note.flush, flush);
          }
  EXPECT_FALSE(Note::is_in(0));
  EXPECT_FALSE(Note::is_in(slot_of(Note::most_source, 31) + std::uint64_t{1}));
}

TEST(Note, ItsPlaceIsTheNearest) {
  for (std::uint32_t handled : {0u, 5u, 0xFFFu, 0x1000u, 0xFFFF'FFFFu})
    for (std::int32_t ahead : {-2048, -1, 0, 1, 500, 2047}) {
      std::uint32_t place = handled + static_cast<std::uint32_t>(ahead);
      Note note = Note::from(Note{0, place, 0, Acknowledge::later, false}.data());
      EXPECT_EQ(note.place_near(handled), place) << handled << ", " << ahead;
    }
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
