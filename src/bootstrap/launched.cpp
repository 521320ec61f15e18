// SPDX-License-Identifier: Apache-2.0
// Atoll's own launcher over several hosts, seen from a PE: the agent of its host answers at a socket that the PE
// inherited.
#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/frame.hpp"
#include "atoll/bootstrap/control/guest_order.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "kinds.hpp"
#include "wire.hpp"

namespace atl::runtime {
namespace {

// The agent is a process of this host. One that does not answer at once is stuck.
constexpr double agent_seconds = 30;

class Rendezvous final : public Bootstrap, public GuestDesk {
 public:
  Rendezvous(int descriptor, std::uint32_t rank, std::uint32_t size)
      : wire_(descriptor, fmt::format("the agent of Atoll's launcher (ATOLL_AGENT={})", descriptor)),
        rank_(rank),
        size_(size) {
    Deadline soon = Deadline::after_seconds(agent_seconds);
    say(FrameKind::pe_hello, Packer().number(rendezvous_version).number(rank).body(), soon);
    Frame answer = hear(FrameKind::pe_welcome, soon);
    Unpacker reader(answer.body);
    std::uint32_t version = reader.number(), size_there = reader.number();
    ATOLL_VALIDATE(
        version == rendezvous_version, SetupError,
        "this program speaks version {} of the rendezvous, its launcher {}. Use one version of Atoll for both",
        rendezvous_version, version);
    ATOLL_VALIDATE(size_there == size, SetupError,
                   "ATOLL_PE={} and ATOLL_NPES={}, but the job has {} PEs. Leave what the launcher has set", rank, size,
                   size_there);
    host_ = reader.text();
    idle_hosts_ = reader.texts();
  }

  std::string_view name() const override { return "atoll"; }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  std::string host_name() const override { return host_; }

  void publish(std::string_view key, std::string_view value) override {
    ATOLL_EXPECT(key.size() <= longest_key && value.size() <= longest_value);
    pending_.push_back({rank_, std::string(key), std::string(value)});
  }

  void exchange(Deadline deadline) override { (void)exchange_and_gather("", deadline); }

  // Two messages, whatever the number of PEs: one to the agent, one from it.
  std::vector<std::string> allgather(std::string_view key, std::string_view mine, Deadline deadline) override {
    publish(key, mine);
    auto all = exchange_and_gather(key, deadline);
    ATOLL_VALIDATE(all.size() == size_, SetupError,
                   "{} of {} PEs have told something under '{}'. Do all run the same program?", all.size(), size_, key);
    return all;
  }

  std::string lookup(std::uint32_t rank, std::string_view key) override {
    Deadline soon = Deadline::after_seconds(agent_seconds);
    say(FrameKind::lookup, Packer().number(rank).text(key).body(), soon);
    Frame answer = hear(FrameKind::found, soon);
    Unpacker reader(answer.body);
    bool there = reader.number() != 0;
    ATOLL_VALIDATE(there, SetupError,
                   "PE {} has told the launcher nothing under '{}'. Do all PEs run the same program?", rank, key);
    return reader.text();
  }

  void finalize() override { say(FrameKind::finalize, {}, Deadline::after_seconds(agent_seconds)); }

  void abort(int status, std::string_view why) noexcept override {
    try {
      say(FrameKind::abort, Packer().number(static_cast<std::uint32_t>(status)).text(why).body(),
          Deadline::after_seconds(1));
    } catch (...) {  // the agent is gone, and takes this process along
    }
  }

  bool report_loss(std::uint32_t rank, std::string_view how) noexcept override {
    try {
      say(FrameKind::lost, Packer().number(rank).text(how).body(), Deadline::after_seconds(1));
      return true;
    } catch (...) {  // the agent is gone, and takes this process along
      return false;
    }
  }

  void end_job(int status) noexcept override { abort(status, ""); }

  void survive(fabric::Survival how) noexcept override {
    try {
      say(FrameKind::survival, Packer().number(static_cast<std::uint32_t>(how)).body(), Deadline::after_seconds(1));
    } catch (...) {  // the agent is gone, and takes this process along
    }
  }

  GuestDesk* guests() override { return this; }
  std::vector<std::string> idle_hosts() const override { return idle_hosts_; }

  std::uint32_t ask(const std::vector<GuestProgram>& programs, std::uint32_t room) override {
    GuestWish wish{.room = room, .programs = programs};
    {
      std::lock_guard lock(answers_mutex_);
      wish.request = ++last_request_;
    }
    say(FrameKind::spawn, pack(wish), Deadline::after_seconds(agent_seconds));
    return wish.request;
  }

  std::optional<Answer> answer(std::uint32_t request) override {
    std::lock_guard lock(answers_mutex_);
    auto found = answers_.extract(request);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
  }

  void give_up(fabric::Cohort guests) noexcept override {
    try {
      say(FrameKind::given_up, Packer().number(guests.first.value()).number(guests.count).body(),
          Deadline::after_seconds(1));
    } catch (...) {  // the agent is gone, and takes this process along
    }
  }

  void confirm(PeId first, const std::string& objection) override {
    say(FrameKind::admitted, Packer().number(first.value()).text(objection).body(),
        Deadline::after_seconds(agent_seconds));
  }

  std::vector<std::string> gather(std::string_view key, Deadline deadline) override {
    say(FrameKind::gather, Packer().text(key).body(), deadline);
    return Unpacker(hear(FrameKind::exchanged, deadline).body).texts();
  }

  std::string find_memory(const fabric::JobOptions& options, Deadline deadline) override {
    say(FrameKind::find_memory, pack(options), deadline);
    Frame answer = hear(FrameKind::memory_found, deadline);
    Unpacker reader(answer.body);
    const bool there = reader.number() != 0;
    std::string name = reader.text();
    ATOLL_VALIDATE(there, SetupError, "{}", name);
    return name;
  }

  Introduction introduce(const Newcomer& self, Deadline deadline) override {
    say(FrameKind::join, Packer().text(pack(self)).body(), deadline);
    Frame frame = hear(FrameKind::joined_by, deadline);
    Unpacker reader(frame.body);
    Introduction known;
    for (std::uint32_t left = reader.number(); left != 0; --left) known.gone.emplace_back(reader.number());
    for (const std::string& text : reader.texts()) known.guests.push_back(unpack_newcomer(text));
    return known;
  }

  int news() const override { return agent_is_gone_ ? -1 : wire_.descriptor(); }

  std::optional<News> take_news() override {
    pollfd ready{wire_.descriptor(), POLLIN, 0};
    try {
      while (!unasked_.empty() || wire_.has_input() || ::poll(&ready, 1, 0) > 0) {
        Frame frame;
        if (unasked_.empty()) {
          frame = read(Deadline::after_seconds(agent_seconds));
        } else {
          frame = std::move(unasked_.front());
          unasked_.pop_front();
        }
        if (is_news(frame.kind)) return news_of(frame);
        refuse_unasked(frame);
      }
    } catch (const Error&) {  // the agent takes this process along
      agent_is_gone_ = true;
    }
    return std::nullopt;
  }

 private:
  // One whole frame at a time: the thread that watches the other PEs may abort while another is in an exchange.
  void say(FrameKind kind, std::string_view body, Deadline deadline) {
    std::lock_guard lock(sending_);
    wire_.write(frame_header(kind, body.size()).append(body), deadline);
  }

  Frame read(Deadline deadline) {
    // A read that ran out of time has left the header for the next one.
    if (!header_) header_ = parse_frame_header(wire_.read_exactly(frame_header_bytes, deadline), longest_frame);
    Frame frame{header_->kind, wire_.read_exactly(header_->body_bytes, deadline)};
    header_.reset();
    return frame;
  }

  static Failure failure_of(const Frame& frame) {
    Unpacker reader(frame.body);
    Failure failure;
    failure.rank = reader.number();
    failure.host = reader.text();
    failure.how = reader.text();
    return failure;
  }

  static bool is_news(FrameKind kind) {
    return kind == FrameKind::failed || kind == FrameKind::died || kind == FrameKind::survival ||
           kind == FrameKind::ending || kind == FrameKind::newcomers || kind == FrameKind::given_up ||
           kind == FrameKind::spawned;
  }

  News news_of(const Frame& frame) {
    Unpacker reader(frame.body);
    switch (frame.kind) {
      case FrameKind::failed: return {.kind = News::Kind::job_failed, .failure = failure_of(frame)};
      case FrameKind::ending: return {.kind = News::Kind::ending};
      case FrameKind::survival:
        return {.kind = News::Kind::survival, .survival = static_cast<fabric::Survival>(reader.number())};
      case FrameKind::newcomers: {
        News news{.kind = News::Kind::newcomers, .guests = {PeId(reader.number()), 0}};
        for (const std::string& text : reader.texts()) news.newcomers.push_back(unpack_newcomer(text));
        news.guests.count = static_cast<std::uint32_t>(news.newcomers.size());
        return news;
      }
      case FrameKind::given_up: {
        const PeId first(reader.number());
        return {.kind = News::Kind::given_up, .guests = {first, reader.number()}};
      }
      case FrameKind::spawned: {
        const std::uint32_t request = reader.number();
        const PeId first(reader.number());
        std::lock_guard lock(answers_mutex_);
        answers_[request] = {first, reader.text()};
        return {.kind = News::Kind::answered};
      }
      default: return {.kind = News::Kind::died, .failure = failure_of(frame)};
    }
  }

  // But for the answer to an exchange that was given up.
  void refuse_unasked(const Frame& frame) const {
    ATOLL_VALIDATE(frame.kind == FrameKind::exchanged, SetupError,
                   "protocol error: {} sent an answer that was not asked for", wire_.whose());
  }

  // Until the exchanges of the PEs that a job begins with are over, no PE has said that it survives deaths. News
  // that a guest receives meanwhile is kept.
  Frame hear(FrameKind expected, Deadline deadline) {
    for (;;) {
      Frame frame = read(deadline);
      if (frame.kind == FrameKind::failed) {
        const Failure failure = failure_of(frame);
        raise<PeFailedError>(fmt::format("PE {} {}", failure.rank, failure.sentence()));
      }
      if (frame.kind == expected) return frame;
      if (is_news(frame.kind)) unasked_.push_back(std::move(frame));
      else refuse_unasked(frame);
    }
  }

  std::vector<std::string> exchange_and_gather(std::string_view key, Deadline deadline) {
    say(FrameKind::exchange, Packer().text(key).entries(std::exchange(pending_, {})).body(), deadline);
    try {
      return Unpacker(hear(FrameKind::exchanged, deadline).body).texts();
    } catch (const TimeoutError&) {
      Deadline soon = Deadline::after_seconds(2);
      say(FrameKind::list_missing, {}, soon);
      std::string missing = Unpacker(hear(FrameKind::missing, soon).body).text();
      raise<TimeoutError>(fmt::format(
          "PE {} timed out waiting for {}. Do all PEs run the same program? (ATOLL_PEER_TIMEOUT)", rank_, missing));
    }
  }

  Wire wire_;
  std::uint32_t rank_, size_;
  std::string host_;
  std::vector<std::string> idle_hosts_;
  std::vector<PublishedEntry> pending_;
  std::optional<FrameHeader> header_;
  std::mutex sending_;
  bool agent_is_gone_ = false;
  std::deque<Frame> unasked_;  // news that came before an answer
  std::mutex answers_mutex_;
  std::uint32_t last_request_ = 0;
  std::map<std::uint32_t, Answer> answers_;  // of the launcher, by request
};

}  // namespace

std::unique_ptr<Bootstrap> make_rendezvous(const AgentPlace& place) {
  return std::make_unique<Rendezvous>(place.descriptor, place.rank, place.size);
}

}  // namespace atl::runtime
