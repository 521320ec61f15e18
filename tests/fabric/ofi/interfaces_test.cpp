// SPDX-License-Identifier: Apache-2.0
#ifdef ATOLL_HAS_LIBFABRIC
#include "interfaces.hpp"

#include <gmock/gmock.h>

#include "atoll/base/error.hpp"

namespace atl::fabric::ofi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Interfaces, OfTheNearestDomainAndPesSideBySideBeginWithOthers) {
  std::vector<Interface> there{{"a", 0}, {"b", 1}, {"c", 0}, {"d", 1}};
  EXPECT_THAT(choose_interfaces(there, "", 0, 0), ElementsAre(0, 2));
  EXPECT_THAT(choose_interfaces(there, "", 0, 1), ElementsAre(2, 0));
  EXPECT_THAT(choose_interfaces(there, "", 1, 2), ElementsAre(1, 3));
}

TEST(Interfaces, AllWhenNoneIsNearOrThePeIsEverywhere) {
  std::vector<Interface> there{{"a", 0}, {"b", 1}};
  EXPECT_THAT(choose_interfaces(there, "", -1, 0), ElementsAre(0, 1));
  EXPECT_THAT(choose_interfaces(there, "", 3, 1), ElementsAre(1, 0));
}

TEST(Interfaces, NoneWhoseLinkIsDownUnlessThatIsAllThereIs) {
  EXPECT_THAT(choose_interfaces({{"a", 0, false}, {"b", 1}}, "", 0, 0), ElementsAre(1));
  EXPECT_THAT(choose_interfaces({{"a", 0, false}}, "", 0, 0), ElementsAre(0));
}

TEST(Interfaces, TheUsersChoiceInTheUsersOrder) {
  std::vector<Interface> there{{"eth0"}, {"eth1"}, {"lo"}};
  EXPECT_THAT(choose_interfaces(there, "lo,eth0", -1, 0), ElementsAre(2, 0));
  EXPECT_THAT(choose_interfaces(there, "eth1,", 0, 5), ElementsAre(1));
  EXPECT_THAT([&] { choose_interfaces(there, "eth7", -1, 0); },
              ThrowsMessage<SetupError>(::testing::AllOf(HasSubstr("eth7"), HasSubstr("eth0, eth1, lo"))));
}

// A bridge that another program had just removed was preferred to all there were, for nothing said any more that it is
// one.
TEST(Interfaces, AnyRatherThanOneThatIsGone) { EXPECT_LT(doubt("lo"), doubt("gone0")); }

}  // namespace
}  // namespace atl::fabric::ofi
#endif
