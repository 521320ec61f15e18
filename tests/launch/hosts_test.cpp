// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent_command.hpp"
#include "atoll/base/error.hpp"

namespace atl::runtime {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// "a:2 b:- [::1]:3": - is not said.
std::string show(const std::vector<HostEntry>& hosts) {
  std::string text;
  for (const HostEntry& host : hosts)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", host.name, host.slots ? std::to_string(*host.slots) : "-");
  return text;
}

// "a:0-1 b:2-3 c:-": c has none.
std::string show(const std::vector<HostShare>& shares) {
  std::string text;
  for (const HostShare& share : shares) {
    auto range = share.pes == 0 ? "-" : fmt::format("{}-{}", share.first_pe, share.first_pe + share.pes - 1);
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", share.name, range);
  }
  return text;
}

std::string fault_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ValueError& error) { return error.what(); }
  return "nothing";
}

TEST(Hosts, Lists) {
  EXPECT_EQ(show(parse_hosts("a:2,b:3")), "a=2 b=3");
  EXPECT_EQ(show(parse_hosts("a,b")), "a=- b=-");
  EXPECT_EQ(show(parse_hosts("10.0.0.1:4,me@node-7.example.org,[fe80::1]:2,::1")),
            "10.0.0.1=4 me@node-7.example.org=- fe80::1=2 ::1=-");
  for (const char* nonsense : {"", "a,,b", ",a", "a:", "a:0", "a:-1", "a:x", "a:70000", "-oProxyCommand=x", "a b",
                               "a;rm", "[::1]x", "[", "a:2:3x,"})
    EXPECT_NE(fault_of([&] { parse_hosts(nonsense); }), "nothing") << nonsense;
  EXPECT_THAT(fault_of([] { parse_hosts("a:two"); }), HasSubstr("'two' is not a number of PEs. Accepted: 1 to 65536"));
}

TEST(Hosts, Files) {
  EXPECT_EQ(show(parse_hostfile("# all\n a slots=2\nb:3 # fast\n\n\tc\r\nd", "F")), "a=2 b=3 c=- d=-");
  for (auto [text, said] : {std::pair{"a\nb slots=x\n", "'slots=x' in line 2 of F is not understood"},
                            std::pair{"a:2 slots=2", "line 1 of F"}, std::pair{"a b", "'b' in line 1 of F"},
                            std::pair{"a slots=2 b", "line 1 of F"}, std::pair{"a:0", "is not a number of PEs"},
                            std::pair{"# nobody\n", "F names no host"}})
    EXPECT_THAT(fault_of([&, text = text] { parse_hostfile(text, "F"); }), HasSubstr(said)) << text;
  EXPECT_THAT(fault_of([] { read_hostfile("/nonexistent/file"); }),
              HasSubstr("cannot read --hostfile /nonexistent/file: No such file"));
}

TEST(Hosts, BlocksOfPes) {
  auto go = [](const char* hosts, std::uint32_t npes, std::uint32_t per_host) {
    return show(spread(parse_hosts(hosts), npes, per_host));
  };
  EXPECT_EQ(go("a:2,b:2", 0, 0), "a:0-1 b:2-3");
  EXPECT_EQ(go("a:2,b:2", 3, 0), "a:0-1 b:2-2");
  EXPECT_EQ(go("a:2,b:2", 2, 0), "a:0-1 b:-");
  EXPECT_EQ(go("a,b,c", 0, 0), "a:0-0 b:1-1 c:2-2");
  EXPECT_EQ(go("a,b,c", 7, 0), "a:0-2 b:3-4 c:5-6");
  EXPECT_EQ(go("a,b,c", 2, 0), "a:0-0 b:1-1 c:-");
  EXPECT_EQ(go("a:3,b", 4, 0), "a:0-2 b:3-3");
  EXPECT_EQ(go("a:2,b:1,a:1", 0, 0), "a:0-2 b:3-3");
  EXPECT_EQ(go("a,a,b,b", 0, 0), "a:0-1 b:2-3");  // as PBS lists them
  EXPECT_EQ(go("a:1,b:1", 0, 4), "a:0-3 b:4-7");
  EXPECT_EQ(go("a,b", 5, 4), "a:0-3 b:4-4");
  EXPECT_THAT(fault_of([&] { go("a:2,b:2", 5, 0); }),
              HasSubstr("-n 5 is more than the 4 PEs that the hosts have room for"));
  EXPECT_NE(fault_of([&] { go("a,b", 5, 2); }), "nothing");
  EXPECT_NE(fault_of([&] { go("a:60000,b:60000", 0, 0); }), "nothing");
}

TEST(Hosts, KnowTheirSlots) {
  std::vector<std::uint32_t> slots;
  for (const HostShare& share : spread(parse_hosts("a:1,b:1,c:4,d"), 2, 0)) slots.push_back(share.slots);
  EXPECT_THAT(slots, ElementsAre(1, 1, 4, 1));
  const auto even = spread(parse_hosts("a,b,c"), 2, 0);
  EXPECT_EQ(even.back().slots, 1u);
  EXPECT_EQ(even.back().first_pe, 2u);
}

TEST(Hosts, APePerPart) {
  std::vector<HostShare> named{{"a", 0, 0}, {"b", 0, 0}, {"c", 0, 0}};
  auto go = [&](std::vector<std::uint32_t> parts, std::uint32_t npes, Binding kind = Binding::numa) {
    auto hosts = named;
    number_by_parts(hosts, parts, kind, npes);
    return show(hosts);
  };
  EXPECT_EQ(go({4, 1, 2}, 0), "a:0-3 b:4-4 c:5-6");
  EXPECT_EQ(go({1, 1, 4}, 5), "a:0-0 b:1-1 c:2-4");
  EXPECT_EQ(go({4, 1, 2}, 3), "a:0-2 b:- c:-");
  EXPECT_EQ(go({4, 1, 2}, 7), "a:0-3 b:4-4 c:5-6");
  EXPECT_THAT(fault_of([&] { go({4, 1, 2}, 8); }),
              HasSubstr("-n 8 is more than the 7 NUMA domains of the hosts (a 4, b 1, c 2). Lower it"));
  EXPECT_THAT(fault_of([&] { go({1, 1, 1}, 4, Binding::socket); }),
              HasSubstr("the 3 sockets of the hosts (a 1, b 1, c 1)"));
  EXPECT_THAT(fault_of([&] { go({60000, 60000, 1}, 0); }),
              HasSubstr("the hosts have 120001 NUMA domains, and a job has at most 65536 PEs"));
  EXPECT_EQ(go({60000, 60000, 1}, 65536), "a:0-59999 b:60000-65535 c:-");
  named.assign(10, {"h", 0, 0});
  EXPECT_THAT(fault_of([&] { go(std::vector<std::uint32_t>(10, 1), 11); }),
              HasSubstr("(h 1, h 1, h 1, h 1, h 1, h 1, h 1, h 1 and 2 more hosts)"));
}

TEST(AgentCommand, WordsAreThoseOfAShell) {
  EXPECT_THAT(split_words("ssh  -o 'User Known=x' \"a b\"c\t'' "),
              ElementsAre("ssh", "-o", "User Known=x", "a bc", ""));
  EXPECT_THAT(split_words(""), ElementsAre());
  EXPECT_THROW(split_words("ssh 'x"), ValueError);
}

TEST(AgentCommand, TheHostIsPlacedOrFollows) {
  EXPECT_THAT(command_on_host("ip netns exec {host}", "b", {"run", "x y"}),
              ElementsAre("ip", "netns", "exec", "b", "run", "x y"));
  EXPECT_THAT(command_on_host("wrap --to={host}:22 {host}", "b", {"run"}),
              ElementsAre("wrap", "--to=b:22", "b", "run"));
  // Through ssh a shell reads the words.
  EXPECT_THAT(command_on_host("/usr/bin/ssh -p 22", "me@b", {"/opt/it's/run", "1.2.3.4,::1"}),
              ElementsAre("/usr/bin/ssh", "-p", "22", "me@b", "'/opt/it'\\''s/run'", "1.2.3.4,::1"));
  EXPECT_THROW(command_on_host(" ", "b", {"run"}), ValueError);
}

TEST(AgentCommand, TheEnvironmentGoesAlong) {
  ::setenv("ATOLL_GRAIN", "77", 1);
  ::setenv("ATOLL_JOB", "mine", 1);
  ::setenv("HOSTS_TEST_ONE", "1", 1);
  ::setenv("HOSTS_TEST_TWO", "2", 1);
  LaunchOptions options;
  options.pass = {"HOSTS_TEST_ONE", "NEW=a=b"};
  auto carried = carried_environment(options);
  EXPECT_THAT(carried, Contains("ATOLL_GRAIN=77"));
  EXPECT_THAT(carried, Contains("HOSTS_TEST_ONE=1"));
  EXPECT_THAT(carried, Contains("NEW=a=b"));
  EXPECT_THAT(carried, Contains(::testing::StartsWith("PATH=")));
  EXPECT_THAT(carried, Not(Contains("ATOLL_JOB=mine")));
  EXPECT_THAT(carried, Not(Contains("HOSTS_TEST_TWO=2")));
  options.pass_all = true;
  EXPECT_THAT(carried_environment(options), Contains("HOSTS_TEST_TWO=2"));
  for (const char* name : {"ATOLL_GRAIN", "ATOLL_JOB", "HOSTS_TEST_ONE", "HOSTS_TEST_TWO"}) ::unsetenv(name);
}

TEST(AgentCommand, HostsOfThisMachineAloneMeetOnLoopback) {
  LaunchOptions options;
  options.hosts = {{"localhost", 0, 1}, {"127.0.0.1", 1, 1}};
  MeetingPlace place = choose_meeting_place(options, {true, true});
  EXPECT_EQ(place.listen, "127.0.0.1");
  EXPECT_THAT(place.by_host, ElementsAre(ElementsAre("127.0.0.1"), ElementsAre("127.0.0.1")));
  options.address = "lo";
  EXPECT_EQ(choose_meeting_place(options, {true, false}).listen, "127.0.0.1");
  options.address = "203.0.113.77";
  EXPECT_THAT(fault_of([&] { choose_meeting_place(options, {true, true}); }),
              HasSubstr("--address '203.0.113.77' is not an address of this host. It has: "));
}

}  // namespace
}  // namespace atl::runtime
