// SPDX-License-Identifier: Apache-2.0
// A PE's way to find the others under Atoll's own launcher, against the server that an agent keeps for it. Here one
// server serves all PEs of the job, and this test is its launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/guest_order.hpp"
#include "bootstrap/kinds.hpp"
#include "pe_server.hpp"
#include "test_deadline.hpp"

namespace atl::runtime {
namespace {

using ::testing::HasSubstr;

Deadline soon() { return test_deadline(); }

class OneHost final : PeServer::Listener {
 public:
  // With a cohort of so many guests, which has the next seats and numbers.
  OneHost(std::uint32_t pes, std::uint32_t npes, std::uint32_t guests = 0, std::vector<std::string> idle_hosts = {})
      : order_{.pes = pes, .npes = npes, .host = "here", .idle_hosts = std::move(idle_hosts)},
        pe_server_(order_, *this) {
    for (std::uint32_t guest = 0; guest < guests; ++guest) pe_server_.add(npes + guest, npes);
    for (std::uint32_t seat = 0; seat < pes + guests; ++seat) ends_.push_back(pe_server_.open(seat));
    thread_ = std::thread([this] { serve(); });
  }
  ~OneHost() { stop(); }
  // What the PEs have said so far is heard then.
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void close() { pe_server_.close(0); }

  // By the socket of PE `seat`.
  std::unique_ptr<Bootstrap> join(std::uint32_t seat, std::uint32_t pe, std::uint32_t npes) {
    Descriptor end = std::move(ends_[seat]);
    return make_rendezvous({::dup(end.number()), pe, npes});
  }
  std::unique_ptr<Bootstrap> join(std::uint32_t pe) { return join(pe, pe, order_.npes); }
  // Each PE a thread.
  void run(const std::function<void(Bootstrap&)>& body) {
    std::vector<std::thread> threads;
    for (std::uint32_t pe = 0; pe < order_.pes; ++pe)
      threads.emplace_back([&, pe] {
        auto bootstrap = join(pe);
        body(*bootstrap);
      });
    for (auto& thread : threads) thread.join();
  }

  std::atomic<std::uint32_t> joined{0}, exchanges{0};
  std::atomic<bool> fail{false}, end{false};
  std::string aborted, reported, refusal, objected;
  bool finalized(std::uint32_t pe) const { return pe_server_.has_finalized(pe); }

 private:
  void serve() {
    while (!stop_) {
      std::vector<pollfd> list;
      pe_server_.watch(list);
      ::poll(list.data(), list.size(), 5);
      pe_server_.serve(list.data(), list.size());
      if (fail.exchange(false)) pe_server_.tell_failure(7, "there", "has died");
      if (end.exchange(false)) pe_server_.tell_ending();
    }
    for (std::uint32_t pe = 0; pe < order_.pes; ++pe) pe_server_.serve(pe);
  }
  void on_joined(std::uint32_t) override { ++joined; }
  void on_exchange(std::vector<PublishedEntry> entries) override {
    ++exchanges;
    pe_server_.complete(entries);
  }
  // As the launcher, with places from PE 2 on; PE 1 has left.
  void on_spawn(std::uint32_t pe, std::string_view wish) override {
    const GuestWish asked = unpack_guest_wish(wish);
    pe_server_.send(pe, FrameKind::spawned, Packer().number(asked.request).number(2).text(refusal).body());
  }
  void on_give_up(std::uint32_t, std::uint32_t first, std::uint32_t count) override {
    pe_server_.pass_on({FrameKind::given_up, Packer().number(first).number(count).body()});
  }
  void on_newcomer(std::uint32_t pe, const std::string& card) override { pe_server_.introduce(pe, {card}); }
  void on_admitted(std::uint32_t first, const std::string& objection) override {
    objected = objection;
    pe_server_.admit(first, {1});
  }
  void on_abort(std::uint32_t pe, std::uint32_t status, const std::string& why) override {
    aborted = fmt::format("{} {} {}", pe, status, why);
  }
  void on_loss(std::uint32_t pe, std::uint32_t lost, const std::string& how) override {
    reported = fmt::format("{} {} {}", pe, lost, how);
  }
  // As the launcher: tells all, and then of a death that the job survives.
  void on_survival(std::uint32_t how) override {
    pe_server_.pass_on({FrameKind::survival, Packer().number(how).body()});
    pe_server_.pass_on({FrameKind::died, Packer().number(7).text("there").text("has died").body()});
  }
  void on_late_hosts(std::uint32_t pe) override { pe_server_.answer_late(pe, "host there (PE 7)"); }
  std::string on_memory(const fabric::JobOptions& options) override {
    ATOLL_VALIDATE(refusal.empty(), SetupError, "{}", refusal);
    return fmt::format("memory of node {}", options.node);
  }

  Order order_;
  PeServer pe_server_;
  std::vector<Descriptor> ends_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(LaunchedBootstrap, AllgatherReturnsTheBytesOfEveryPe) {
  for (std::uint32_t pes : {1u, 2u, 5u, 8u}) {
    OneHost host(pes, pes);
    host.run([&](Bootstrap& bootstrap) {
      EXPECT_EQ(bootstrap.name(), "atoll");
      EXPECT_EQ(bootstrap.size(), pes);
      EXPECT_EQ(bootstrap.host_name(), "here");
      std::string mine("\0\n", 2);
      mine += std::to_string(bootstrap.rank());
      for (const char* key : {"one", "two"}) {
        auto all = bootstrap.allgather(key, mine, soon());
        ASSERT_EQ(all.size(), pes);
        for (std::uint32_t rank = 0; rank < pes; ++rank)
          EXPECT_EQ(all[rank], std::string("\0\n", 2) + std::to_string(rank));
      }
    });
    EXPECT_EQ(host.joined, pes);
    EXPECT_EQ(host.exchanges, 2u);
  }
}

TEST(LaunchedBootstrap, RepeatsExchanges) {
  OneHost host(3, 3);
  host.run([](Bootstrap& bootstrap) {
    std::string large(Bootstrap::longest_value, static_cast<char>('a' + bootstrap.rank()));
    for (int round = 0; round < 3; ++round) {
      bootstrap.publish("round", fmt::format("{} {}", round, bootstrap.rank()));
      if (round == 1 && bootstrap.rank() == 2) bootstrap.publish("only", large);
      bootstrap.exchange(soon());
      EXPECT_EQ(bootstrap.lookup((bootstrap.rank() + 1) % 3, "round"),
                fmt::format("{} {}", round, (bootstrap.rank() + 1) % 3));
      bootstrap.exchange(soon());  // so that no PE runs ahead
      if (round < 1) {
        EXPECT_THROW(bootstrap.lookup(2, "only"), SetupError);
      } else EXPECT_EQ(bootstrap.lookup(2, "only"), std::string(Bootstrap::longest_value, 'c'));
    }
    EXPECT_THROW(bootstrap.lookup(0, "only"), SetupError);
    EXPECT_THROW(bootstrap.lookup(9, "round"), SetupError);
  });
}

TEST(LaunchedBootstrap, NamesMissingPesInATimeout) {
  OneHost host(3, 3);
  auto zero = host.join(0), one = host.join(1);
  try {
    zero->exchange(Deadline::after_seconds(0.1));
    ADD_FAILURE() << "alone";
  } catch (const TimeoutError& error) {
    EXPECT_THAT(error.what(), HasSubstr("PE 0 timed out waiting for PE 1, PE 2 on here"));
  }
}

TEST(LaunchedBootstrap, EndsAWaitWhenAnotherPeDies) {
  OneHost host(2, 2);
  auto zero = host.join(0);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    host.fail = true;
  });
  try {
    zero->exchange(soon());
    ADD_FAILURE() << "alone";
  } catch (const PeFailedError& error) { EXPECT_THAT(error.what(), HasSubstr("PE 7 has died on there")); }
  killer.join();
}

TEST(LaunchedBootstrap, ReportsThatAllPesAreBeingEnded) {
  OneHost host(1, 1);
  auto bootstrap = host.join(0);
  (void)bootstrap->allgather("key", "value", soon());
  host.end = true;
  pollfd ready{bootstrap->news(), POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
  auto news = bootstrap->take_news();
  ASSERT_TRUE(news.has_value());
  EXPECT_EQ(news->kind, Bootstrap::News::Kind::ending);
}

TEST(LaunchedBootstrap, ReportsThatAnotherPeDied) {
  OneHost host(1, 1);
  auto bootstrap = host.join(0);
  (void)bootstrap->allgather("key", "value", soon());
  EXPECT_FALSE(bootstrap->take_news().has_value());
  host.fail = true;
  pollfd ready{bootstrap->news(), POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
  auto news = bootstrap->take_news();
  ASSERT_TRUE(news.has_value());
  EXPECT_EQ(news->kind, Bootstrap::News::Kind::job_failed);
  EXPECT_EQ(news->failure.rank, 7u);
  EXPECT_EQ(news->failure.host, "there");
  EXPECT_EQ(news->failure.how, "has died");
  // An agent that is gone has no news, and is not asked again.
  host.stop();
  host.close();
  ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
  EXPECT_FALSE(bootstrap->take_news().has_value());
  EXPECT_EQ(bootstrap->news(), -1);
}

TEST(LaunchedBootstrap, ReportsDeathsThatTheProgramSurvives) {
  OneHost host(2, 2);
  auto zero = host.join(0), one = host.join(1);
  zero->survive(fabric::Survival::recovers);
  for (Bootstrap* bootstrap : {zero.get(), one.get()}) {
    std::vector<Bootstrap::News> heard;
    while (heard.size() < 2) {
      pollfd ready{bootstrap->news(), POLLIN, 0};
      if (auto news = bootstrap->take_news()) heard.push_back(*news);
      else ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
    }
    EXPECT_EQ(heard[0].kind, Bootstrap::News::Kind::survival);
    EXPECT_EQ(heard[0].survival, fabric::Survival::recovers);
    EXPECT_EQ(heard[1].kind, Bootstrap::News::Kind::died);
    EXPECT_EQ(heard[1].failure.sentence(), "has died on there");
  }
}

TEST(LaunchedBootstrap, FinalizesAndAborts) {
  OneHost host(2, 2);
  host.run([](Bootstrap& bootstrap) {
    bootstrap.exchange(soon());
    if (bootstrap.rank() == 0) bootstrap.finalize();
    else bootstrap.abort(7, "enough");
  });
  host.stop();
  EXPECT_TRUE(host.finalized(0));
  EXPECT_FALSE(host.finalized(1));
  EXPECT_EQ(host.aborted, "1 7 enough");
}

TEST(LaunchedBootstrap, ReportsALostPe) {
  OneHost host(2, 2);
  EXPECT_TRUE(host.join(1)->report_loss(5, "on reef is lost"));
  host.stop();
  EXPECT_EQ(host.reported, "1 5 on reef is lost");
  Bootstrap::Failure failure{5, "", "on reef is lost"};
  EXPECT_EQ(failure.sentence(), "on reef is lost");
  failure.host = "reef";
  failure.how = "died";
  EXPECT_EQ(failure.sentence(), "died on reef");
}

// The news that comes next.
Bootstrap::News next_news(Bootstrap& bootstrap) {
  for (Deadline deadline = soon(); !deadline.passed();) {
    pollfd ready{bootstrap.news(), POLLIN, 0};
    ::poll(&ready, 1, 100);
    if (auto news = bootstrap.take_news()) return *news;
  }
  ADD_FAILURE() << "there is no news";
  return {};
}

TEST(LaunchedBootstrap, IntroducesSpawnedPesBeforeTheyJoin) {
  OneHost host(2, 2, 1);
  std::unique_ptr<Bootstrap> zero, one;
  std::thread other([&] {
    one = host.join(1);
    one->publish("network", "=one");
    one->exchange(soon());
    one->finalize();
  });
  zero = host.join(0);
  zero->publish("network", "=zero");
  zero->exchange(soon());
  other.join();
  GuestDesk::Introduction known;
  std::vector<std::string> cards;
  std::thread guest([&] {
    auto bootstrap = host.join(2, 2, 2);
    known = bootstrap->guests()->introduce({PeId(2), 1, "reef", "card"}, soon());
    cards = bootstrap->guests()->gather("network", soon());
  });
  const Bootstrap::News news = next_news(*zero);
  EXPECT_EQ(news.kind, Bootstrap::News::Kind::newcomers);
  EXPECT_EQ(news.guests.first, PeId(2));
  ASSERT_EQ(news.newcomers.size(), 1u);
  EXPECT_EQ(news.newcomers[0].host, "reef");
  EXPECT_EQ(news.newcomers[0].card, "card");
  zero->guests()->confirm(PeId(2), "does not fit");
  guest.join();
  host.stop();
  EXPECT_EQ(host.objected, "does not fit");
  EXPECT_EQ(known.gone, std::vector{PeId(1)});
  ASSERT_EQ(known.guests.size(), 1u);
  EXPECT_EQ(known.guests[0].node, 1u);
  EXPECT_EQ(cards, (std::vector<std::string>{"=zero", "=one"}));
}

TEST(LaunchedBootstrap, SpawnedPesFindTheMemoryOfANodeWithoutFirstPes) {
  OneHost host(1, 2, 0, {"shoal", "cay"});
  auto zero = host.join(0);
  EXPECT_EQ(zero->idle_hosts(), (std::vector<std::string>{"shoal", "cay"}));
  const fabric::JobOptions options{.npes = 1, .node_of_pe = {0, 1, 2}, .node = 2};
  EXPECT_EQ(zero->guests()->find_memory(options, soon()), "memory of node 2");
  host.refusal = "there is no memory";
  try {
    (void)zero->guests()->find_memory(options, soon());
    ADD_FAILURE() << "there is some";
  } catch (const SetupError& error) { EXPECT_STREQ(error.what(), "there is no memory"); }
}

TEST(LaunchedBootstrap, AnswersARequestToSpawnAsNews) {
  OneHost host(1, 2);
  host.refusal = "there is no room";
  auto zero = host.join(0);
  GuestDesk& desk = *zero->guests();
  const std::uint32_t request = desk.ask({{.command = {"true"}, .count = 3, .directory = "/"}}, 10);
  EXPECT_FALSE(desk.answer(request).has_value());
  EXPECT_EQ(next_news(*zero).kind, Bootstrap::News::Kind::answered);
  const auto answer = desk.answer(request);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->first, PeId(2));
  EXPECT_EQ(answer->refusal, "there is no room");
  desk.give_up({PeId(2), 3});
  const Bootstrap::News news = next_news(*zero);
  EXPECT_EQ(news.kind, Bootstrap::News::Kind::given_up);
  EXPECT_EQ(news.guests.first, PeId(2));
  EXPECT_EQ(news.guests.count, 3u);
}

TEST(LaunchedBootstrap, RefusesAPeThatWasNotStarted) {
  OneHost host(2, 2);
  EXPECT_THROW(host.join(0, 0, 3), SetupError);  // another number of PEs than the job has
  EXPECT_THROW(host.join(1, 0, 2), SetupError);  // another PE than the socket is for: the agent hangs up
}

}  // namespace
}  // namespace atl::runtime
