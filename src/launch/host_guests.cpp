// SPDX-License-Identifier: Apache-2.0
#include "host_guests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/base/wait_status.hpp"
#include "spawn.hpp"

namespace atl::runtime {
namespace {

// "user@reef.example.org" is also "reef".
bool is_called(const std::string& host, const std::string& wanted) {
  const std::string name = host.substr(host.find('@') == std::string::npos ? 0 : host.find('@') + 1);
  return wanted == host || wanted == name || wanted == name.substr(0, name.find('.'));
}

}  // namespace

bool HostGuests::take(std::uint32_t host, const Frame& frame) {
  Unpacker reader(frame.body);
  switch (frame.kind) {
    case FrameKind::spawn: {
      const std::uint32_t pe = reader.number();
      ATOLL_VALIDATE(pe < pes_.size() && pes_[pe].host == host, SetupError, "its agent speaks for PE {}", pe);
      wishes_.push_back({pe, unpack_guest_wish(reader.rest())});
      begin_next();
      return true;
    }
    case FrameKind::given_up: {
      (void)reader.number();  // the PE
      const std::uint32_t first = reader.number(), count = reader.number();
      ATOLL_VALIDATE(first >= options_.npes && first <= pes_.size() && count <= pes_.size() - first, SetupError,
                     "its agent gives {} PEs from PE {} on up", count, first);
      give_up(first, count);
      return true;
    }
    case FrameKind::guests_started: take_started(host, reader); return true;
    case FrameKind::guests_refused:
      if (has(reader.number())) fail(fmt::format("{} on {}", reader.text(), name_of(host)));
      return true;
    case FrameKind::newcomer: take_newcomer(host, reader); return true;
    case FrameKind::all_admitted: take_confirmation(host, reader); return true;
    default: return false;
  }
}

void HostGuests::begin_next() {
  while (!cohort_ && !wishes_.empty()) {
    Wish next = std::move(wishes_.front());
    wishes_.pop_front();
    begin(std::move(next));
  }
}

void HostGuests::begin(Wish wish) {
  if (stopped_) return answer(wish, 0, "the job ends");
  std::uint64_t count = 0;
  for (const GuestProgram& program : wish.what.programs) count += program.count;
  const auto first = static_cast<std::uint32_t>(pes_.size());
  const std::uint32_t started = first - options_.npes, most = fabric::guest_numbers(options_.npes);
  const auto there = static_cast<std::uint32_t>(
      std::count_if(pes_.begin() + options_.npes, pes_.end(), [](const PeState& pe) { return !pe.is_gone(); }));
  if (count > wish.what.room - std::min(wish.what.room, there) || count > most - started)
    return answer(wish, 0,
                  fmt::format("{} more processes: this job has room for {} at a time, of which {} are there, and has "
                              "started {} of at most {}. Start fewer, or let others end first?",
                              count, wish.what.room, there, started, most));
  cohort_.emplace(Cohort{.wish = std::move(wish), .first = first, .count = static_cast<std::uint32_t>(count)});
  if (agents_.peer_timeout_ms() != 0)
    cohort_->deadline = Deadline::after_ns(std::int64_t{agents_.peer_timeout_ms()} * 1'000'000);
  try {
    const std::vector<GuestProgram>& programs = cohort_->wish.what.programs;
    for (std::uint32_t number = 0; number < programs.size(); ++number)
      for (std::uint32_t i = 0; i < programs[number].count; ++i) {
        const std::uint32_t host = choose_host(programs[number], cohort_->wish.pe);
        pes_.push_back({.host = host});
        cohort_->program_of.push_back(number);
      }
  } catch (const SetupError& error) {
    pes_.resize(first);
    answer(std::exchange(cohort_, std::nullopt)->wish, 0, error.what());
    return;
  }
  start();
}

// Of those that the program may run on: one with a free slot, else any; of these one whose agent runs, else any; of
// these the one with the fewest processes.
std::uint32_t HostGuests::choose_host(const GuestProgram& program, std::uint32_t asker) const {
  std::vector<std::uint32_t> processes(options_.hosts.size());
  for (const PeState& pe : pes_)
    if (!pe.is_gone()) ++processes[pe.host];
  const auto cost = [&](std::uint32_t host) {
    const bool full = processes[host] >= options_.hosts[host].slots;
    return std::tuple(full, !agents_.connected(host), processes[host]);
  };
  std::optional<std::uint32_t> best;
  std::string usable;
  for (std::uint32_t host = 0; host < options_.hosts.size(); ++host) {
    // A host on which the job began is done with its last process.
    if (agents_.gone(host) || (options_.hosts[host].pes != 0 && processes[host] == 0)) continue;
    usable += (usable.empty() ? "" : ", ") + name_of(host);
    const bool own = host == pes_[asker].host;
    const bool wanted =
        program.hosts.empty() || std::any_of(program.hosts.begin(), program.hosts.end(), [&](const std::string& name) {
          return is_called(name_of(host), name) || (own && name == "localhost");
        });
    if (wanted && (!best || cost(host) < cost(*best))) best = host;
  }
  if (best) return *best;
  raise<SetupError>(
      fmt::format("no process can be started on host {} (hosts that can take one: {}; none on which the job began and "
                  "all processes have ended). Name one of these, or start the job with all hosts (mpiexec --hosts)?",
                  fmt::join(program.hosts, ", "), usable));
}

void HostGuests::start() {
  const std::uint32_t first = cohort_->first;
  std::set<std::uint32_t> hosts;
  for (std::uint32_t i = 0; i < cohort_->count; ++i) hosts.insert(pes_[first + i].host);
  for (const std::uint32_t host : hosts) {
    if (!cohort_ || cohort_->first != first) return;  // an agent was found lost meanwhile, which ended the cohort
    if (agents_.connected(host)) order(host);
    if (!agents_.idle(host)) continue;
    try {
      agents_.wake(host);
    } catch (const SetupError& error) { return lose_host(host, error.what()); }
  }
}

void HostGuests::order(std::uint32_t host) {
  GuestOrder order{.first = cohort_->first, .count = cohort_->count, .seats = {}, .programs = {}};
  for (std::uint32_t i = 0; i < order.count; ++i)
    if (pes_[order.first + i].host == host) order.seats.push_back({order.first + i, cohort_->program_of[i]});
  if (order.seats.empty()) return;
  order.programs = cohort_->wish.what.programs;
  agents_.send(host, FrameKind::guests, pack(order));
}

void HostGuests::welcome(std::uint32_t host) {
  const auto introduce = [&](std::uint32_t first, const std::vector<std::string>& cards) {
    agents_.send(host, FrameKind::newcomers, Packer().number(first).texts(cards).body());
  };
  std::vector<std::string> cards;
  for (const auto& [pe, card] : cards_) cards.push_back(card);
  if (!cards.empty()) introduce(cards_.begin()->first, cards);
  if (!cohort_) return;
  if (cohort_->introduced) introduce(cohort_->first, cohort_->cards);
  order(host);
}

void HostGuests::take_started(std::uint32_t host, Unpacker& reader) {
  if (!has(reader.number())) return;
  std::uint32_t left = reader.number();
  for (std::uint32_t i = 0; i < cohort_->count && left != 0; ++i)
    if (PeState& pe = pes_[cohort_->first + i]; pe.host == host) pe.pid = reader.number(), --left;
}

void HostGuests::take_newcomer(std::uint32_t host, Unpacker& reader) {
  const std::uint32_t pe = reader.number();
  if (!has(pe)) return;  // it is being ended
  ATOLL_VALIDATE(pes_[pe].host == host, SetupError, "its agent speaks for PE {}", pe);
  std::string card = reader.text();
  ATOLL_VALIDATE(unpack_newcomer(card).pe == PeId(pe), SetupError, "the card of PE {} is another PE's", pe);
  cohort_->cards.push_back(std::move(card));
  if (cohort_->cards.size() != cohort_->count) return;
  cohort_->introduced = true;
  for (std::uint32_t other = 0; other < options_.hosts.size(); ++other)
    if (agents_.connected(other)) cohort_->unconfirmed.insert(other);
  agents_.send_to_all(FrameKind::newcomers, Packer().number(cohort_->first).texts(cohort_->cards).body());
}

void HostGuests::take_confirmation(std::uint32_t host, Unpacker& reader) {
  if (!has(reader.number())) return;
  if (std::string objection = reader.text(); !objection.empty()) return fail(objection);
  cohort_->unconfirmed.erase(host);
  admit_if_known();
}

void HostGuests::admit_if_known() {
  if (!cohort_ || !cohort_->introduced || !cohort_->unconfirmed.empty()) return;
  Cohort done = *std::exchange(cohort_, std::nullopt);
  for (std::string& card : done.cards) cards_[unpack_newcomer(card).pe.value()] = std::move(card);
  std::erase_if(cards_, [&](const auto& one) { return pes_[one.first].is_gone(); });
  std::vector<std::uint32_t> gone;
  for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
    if (pes_[pe].is_gone()) gone.push_back(pe);
  Packer body;
  body.number(done.first).number(static_cast<std::uint32_t>(gone.size()));
  for (std::uint32_t pe : gone) body.number(pe);
  agents_.send_to_all(FrameKind::guests_admitted, body.body());
  answer(done.wish, done.first, {});
  begin_next();
}

bool HostGuests::take_end(std::uint32_t pe) {
  if (cohort_ && pe == cohort_->wish.pe) fail("the process that wanted them has ended");
  if (!has(pe)) return false;
  const std::uint32_t number = cohort_->program_of[pe - cohort_->first];
  fail(fmt::format("'{}' on {} {} before it came to MPI_Init", cohort_->wish.what.programs[number].command.front(),
                   name_of(pes_[pe].host), describe_end(pes_[pe].wait_status)));
  return true;
}

void HostGuests::lose_host(std::uint32_t host, const std::string& why) {
  std::erase_if(wishes_, [&](const Wish& wish) { return pes_[wish.pe].host == host; });
  if (!cohort_) return;
  auto begin = pes_.begin() + cohort_->first;
  if (std::any_of(begin, begin + cohort_->count, [&](const PeState& pe) { return pe.host == host; }))
    return fail(fmt::format("no process can be started on host {}: {}", name_of(host), why));
  cohort_->unconfirmed.erase(host);
  admit_if_known();
}

void HostGuests::look_after() {
  if (!cohort_ || !cohort_->deadline.passed()) return;
  std::string late;
  if (cohort_->introduced) {
    for (std::uint32_t host : cohort_->unconfirmed) late += (late.empty() ? "" : ", ") + name_of(host);
    return fail(fmt::format("processes on {} do not answer (ATOLL_PEER_TIMEOUT). Are they stopped?", late));
  }
  fail(fmt::format("{} of {} processes have not come to MPI_Init in time (ATOLL_PEER_TIMEOUT)",
                   cohort_->count - cohort_->cards.size(), cohort_->count));
}

void HostGuests::stop() {
  stopped_ = true;
  wishes_.clear();
  cohort_.reset();
}

void HostGuests::fail(const std::string& why) {
  const Cohort failed = *std::exchange(cohort_, std::nullopt);
  give_up(failed.first, failed.count);
  answer(failed.wish, 0, why);
  begin_next();
}

// Before the answer, so that the places count as given up to the PE that asks again.
void HostGuests::give_up(std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t pe = first; pe < first + count; ++pe) {
    pes_[pe].dead = true;
    agents_.send(pes_[pe].host, FrameKind::end_pe, Packer().number(pe).body());
  }
  agents_.send_to_all(FrameKind::given_up, Packer().number(first).number(count).body());
}

void HostGuests::answer(const Wish& wish, std::uint32_t first, const std::string& refusal) {
  agents_.send(pes_[wish.pe].host, FrameKind::spawned,
               Packer().number(wish.pe).number(wish.what.request).number(first).text(refusal).body());
}

}  // namespace atl::runtime
