// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/protection.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "atoll/array/lost_array.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

// Calls that some worker has not completed. Each holds its arguments, so that dropped arrays keep their memory for so
// long.
constexpr std::size_t most_open_calls = 32;
// Of one call: it survives three deaths by accident. More are taken for its own doing.
constexpr int most_attempts = 4;
// Of one recovery, in which more PEs die.
constexpr int most_rounds = 8;
// The number of a call that has returned and has not been repeated since the last death: no command completes it.
constexpr std::uint64_t to_be_repeated = UINT64_MAX;

}  // namespace

void raise_lost(const Array& array) {
  throw LostArrayError(fmt::format("the array of shape {} and dtype {} was lost when a PE died. Make it again?",
                                   array->shape.to_string(), name_of(array->dtype)));
}

Protection::Protection(Connection& connection, Driver& driver) : connection_(connection), driver_(driver) {
  driver_.remember();
}

void Protection::settle() {
  if (log_.empty()) return;
  const std::uint64_t completed = connection_.completed();
  while (!log_.empty() && log_.front().get() != current_ && log_.front()->number_ <= completed) log_.pop_front();
}

// Bounds what dropped arrays may hold.
void Protection::make_room() {
  settle();
  if (log_.size() < most_open_calls) return;
  connection_.await_completed(log_[log_.size() / 2]->number_);
  settle();
}

void Protection::run(const std::shared_ptr<LoggedCall>& call) {
  ATOLL_VALIDATE(!is_over_, PeFailedError,
                 "the session has ended: too many PEs have died. Start another with ak.init()");
  for (int attempt = 0;;) {
    try {
      if (connection_.has_failed()) recover();
      make_room();
      if (call->assigns && !log_.empty()) connection_.await_completed(log_.back()->number_);
      settle();
      break;
    } catch (const PeFailedError&) {
      if (is_over_ || ++attempt == most_attempts) throw;
    }
  }
  log_.push_back(call);
  struct Current {
    Protection& self;
    Current(Protection& self, LoggedCall* call) : self(self) { self.current_ = call; }
    ~Current() { self.current_ = nullptr; }
  } current(*this, call.get());
  for (int attempt = 1;; ++attempt) {
    std::string failure;
    try {
      if (attempt > 1) undo(*call);
      bool done = try_once(*call);
      // What other calls hold may be what it lacks.
      if (!done) {
        if (log_.size() > 1) connection_.await_completed(log_[log_.size() - 2]->number_);
        settle();
        done = try_once(*call);
      }
      break;
    } catch (const LostArrayError&) {
      log_.pop_back();
      throw;
    } catch (const PeFailedError& error) { failure = error.what(); } catch (const TimeoutError&) {
      log_.pop_back();
      connection_.end_suspect();
      throw;
    } catch (...) {
      log_.pop_back();  // it has changed nothing
      throw;
    }
    const bool gives_up = !call->repeats || attempt == most_attempts;
    if (gives_up) log_.pop_back(), current_ = nullptr;
    recover();
    ATOLL_VALIDATE(call->repeats, PeFailedError,
                   "{} during a call that is not repeated, because it has effects outside of arrays. All arrays are as "
                   "before: call it again?",
                   failure);
    ATOLL_VALIDATE(!gives_up, PeFailedError,
                   "{}, and so did PEs in {} attempts to run this call. All arrays are as before", failure, attempt);
  }
  if (call->is_external) log_.pop_back();
  if (refusal_) std::rethrow_exception(std::exchange(refusal_, nullptr));
}

void Protection::undo(const LoggedCall& call) {
  if (call.undo == nullptr) return;
  call.undo->number_ = ++sent_;
  call.undo->send(driver_);
  (void)call.undo->perform(connection_.engine());
}

// False: there was no memory, on some PE, and calls before it hold some.
bool Protection::try_once(LoggedCall& call) {
  call.number_ = ++sent_;
  call.send(driver_);
  std::vector<Array> arrays;
  try {
    arrays = call.perform(connection_.engine());
  } catch (const MemoryError&) {
    if (log_.size() == 1) throw;
    return false;
  }
  if (call.is_external) connection_.await_completed(call.number_);
  call.results_.clear();
  for (const Array& array : arrays) {
    if (array == nullptr) continue;
    driver_.adopt(array);
    call.results_.push_back(array);
  }
  return true;
}

void Protection::recover() {
  const std::int64_t begin = now_ns();
  recovery_ = {};
  recovery_.cause = connection_.failure();
  for (int round = 0;; ++round) {
    if (round == most_rounds) {
      is_over_ = true;
      raise<PeFailedError>(recovery_.cause +
                           fmt::format(", and {} attempts to go on failed. The arrays of this session are "
                                       "lost: start another with ak.init()",
                                       most_rounds));
    }
    try {
      const Connection::Replaced replaced = connection_.replace_dead();
      recovery_.pes.insert(recovery_.pes.end(), replaced.pes.begin(), replaced.pes.end());
      recovery_.bytes += replaced.bytes;
      recovery_.arrays += replaced.arrays;
      settle();
      for (const auto& call : log_)
        if (call.get() != current_) call->number_ = to_be_repeated;
      send_roster();
      for (const auto& call : log_)
        if (call.get() != current_) repeat(*call);
      break;
    } catch (const PeFailedError& error) { log(LogLevel::info, "recovery: {}", error.what()); }
  }
  recovery_.seconds = static_cast<double>(now_ns() - begin) * 1e-9;
  history_.push_back(recovery_);
  if (!listener_) return;
  try {
    listener_(recovery_);
  } catch (...) { refusal_ = std::current_exception(); }  // after the call that met the death
}

void Protection::send_roster() {
  Roster roster;
  roster.command = ++sent_;
  roster.last = driver_.last();
  driver_.restart(connection_.channel());
  // Results of calls that are to be repeated are made by them.
  std::unordered_set<const ArrayData*> to_come;
  for (const auto& call : log_)
    for (const auto& one : call->results_) to_come.insert(one.lock().get());
  const Engine& engine = connection_.engine();
  for (const Array& array : driver_.living()) {
    if (to_come.contains(array.get())) continue;
    roster.arrays.push_back(entry_of(array, engine));
  }
  Writer writer;
  writer(roster);
  connection_.channel().send(writer.bytes());
}

// One that has returned: its results become the elements of the arrays that the caller has.
void Protection::repeat(LoggedCall& call) {
  ++recovery_.repeated;
  undo(call);
  std::vector<Array> arrays;
  const std::uint64_t number = ++sent_;
  try {
    call.send(driver_);
    arrays = call.perform(connection_.engine());
  } catch (const PeFailedError&) { throw; } catch (const Error& error) {
    // There was memory for it before, say.
    for (const auto& one : call.results_)
      if (Array array = one.lock()) {
        array->storage = {};
        array->id = lost_array;
        ++recovery_.lost;
      }
    log(LogLevel::warning, "a call could not be repeated: {}", error.what());
    call.results_.clear();
    call.number_ = number;
    return;
  }
  std::size_t place = 0;
  for (const Array& array : arrays) {
    if (array == nullptr) continue;
    const Array known = place < call.results_.size() ? call.results_[place].lock() : nullptr;
    ++place;
    if (known == nullptr) {
      driver_.adopt(array);
      continue;
    }
    known->storage = array->storage;
    driver_.renumber(known);
  }
  call.number_ = number;  // not before: workers complete it also where a death has ended it here
}

Roster::Entry entry_of(const Array& array, const Engine& engine) {
  Roster::Entry entry{array->id, array->dtype, array->shape, {}};
  if (!(array->distribution == Distribution(array->shape, engine.npes(), engine.grain())))
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) entry.counts.push_back(array->distribution.count(pe));
  return entry;
}

Array array_of(const Roster::Entry& entry, const Engine& engine, const runtime::AdoptedBlock& block) {
  auto array = std::make_shared<ArrayData>();
  array->dtype = entry.dtype;
  array->shape = entry.shape;
  array->distribution = entry.counts.empty() ? Distribution(entry.shape, engine.npes(), engine.grain())
                                             : Distribution::of_counts(entry.counts);
  array->pe = engine.pe();
  array->storage = {block.data, block.owner, false};
  return array;
}

void restore(ArrayTable& table, runtime::Ledger& ledger, const Roster& roster, Engine& engine,
             std::unordered_map<std::uint64_t, runtime::AdoptedBlock> adopted) {
  std::unordered_set<std::uint64_t> wanted;
  for (const Roster::Entry& entry : roster.arrays) wanted.insert(entry.id);
  table.erase_others([&](std::uint64_t id) { return wanted.contains(id); });
  for (const Roster::Entry& entry : roster.arrays) {
    const auto block = adopted.find(entry.id);
    if (block == adopted.end()) continue;
    table.put_noted(entry.id, array_of(entry, engine, block->second));
    adopted.erase(block);
  }
  for (const auto& [id, block] : adopted) ledger.erase(id);
  table.count_from(roster.last);
}

}  // namespace atl::array
