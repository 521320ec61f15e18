// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/protection.hpp"

#include <gtest/gtest.h>

#include "../support/run_pes.hpp"
#include "atoll/base/error.hpp"

namespace atl::array {
namespace {

/// A job whose workers exist in name alone: tests say what they have completed, and when one dies.
class NamedWorkers final : public Connection, public CommandChannel {
 public:
  explicit NamedWorkers(Engine& engine) : engine_(engine) {}
  Engine& engine() override { return engine_; }
  bool has_failed() override { return has_failed_; }
  std::string failure() override { return "PE 1 was killed"; }
  std::uint64_t completed() override { return completed_; }
  void await_completed(std::uint64_t number) override { completed_ = std::max(completed_, number); }
  Replaced replace_dead() override {
    has_failed_ = false;
    return {{1}, 0, 0};
  }
  void end_suspect() override {}
  CommandChannel& channel() override { return *this; }
  void send(std::span<const std::byte>) override { ++sent_; }

  void complete_all() { completed_ = sent_; }
  void die() { has_failed_ = true; }

 private:
  Engine& engine_;
  bool has_failed_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t completed_ = 0;
};

class Call final : public LoggedCall {
 public:
  explicit Call(std::function<void(int attempt)> body = [](int) {}) : body_(std::move(body)) {}
  void send(Driver& driver) override { driver.send(0); }
  std::vector<Array> perform(Engine&) override {
    body_(++performed);
    return {};
  }
  int performed = 0;

 private:
  std::function<void(int)> body_;
};

void on_one_pe(const std::function<void(NamedWorkers&, Protection&)>& body) {
  testing::run_pes(1, testing::Fabric::loop, [&](runtime::Context& context) {
    Engine engine(std::shared_ptr<runtime::Context>(std::shared_ptr<void>(), &context), 1);
    NamedWorkers workers(engine);
    Driver driver(workers);
    Protection protection(workers, driver);
    body(workers, protection);
  });
}

TEST(ProtectionTest, RepeatsCallsAgainThatAnotherDeathHasInterrupted) {
  on_one_pe([](NamedWorkers& workers, Protection& protection) {
    const auto first = std::make_shared<Call>([&](int attempt) {
      if (attempt != 2) return;
      workers.complete_all();  // on the workers this repetition succeeds, then one dies
      workers.die();
      raise<PeFailedError>("PE 1 was killed");
    });
    const auto second = std::make_shared<Call>(), third = std::make_shared<Call>();
    protection.run(first);
    protection.run(second);
    workers.die();
    EXPECT_NO_THROW(protection.run(third));
    EXPECT_EQ(first->performed, 3);
    EXPECT_EQ(second->performed, 2);
    EXPECT_EQ(third->performed, 1);
    ASSERT_EQ(protection.history().size(), 1u);
    EXPECT_EQ(protection.history()[0].repeated, 3u);
    // Completed by all, they are not repeated after the next death.
    workers.complete_all();
    workers.die();
    protection.run(std::make_shared<Call>());
    EXPECT_EQ(first->performed + second->performed + third->performed, 6);
  });
}

TEST(ProtectionTest, RunsACallAgainAfterThreeDeathsAndNoMore) {
  on_one_pe([](NamedWorkers& workers, Protection& protection) {
    auto dies = [&](int times) {
      return std::make_shared<Call>([&workers, times](int attempt) {
        if (attempt > times) return;
        workers.die();
        raise<PeFailedError>("PE 1 was killed");
      });
    };
    const auto unlucky = dies(3), deadly = dies(100);
    EXPECT_NO_THROW(protection.run(unlucky));
    EXPECT_EQ(unlucky->performed, 4);
    EXPECT_THROW(protection.run(deadly), PeFailedError);
    EXPECT_EQ(deadly->performed, 4);
    EXPECT_FALSE(protection.is_over());
    EXPECT_NO_THROW(protection.run(std::make_shared<Call>()));
  });
}

}  // namespace
}  // namespace atl::array
