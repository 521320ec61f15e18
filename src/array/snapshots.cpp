// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/snapshots.hpp"

#include <algorithm>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::array {
namespace {

/// A state as a PE that has it tells it to one that has only the blocks.
struct StateRoster {
  std::uint64_t number = 0;
  std::uint64_t last_id = 0;
  std::string note;
  std::vector<Roster::Entry> arrays;
  template <class Archive>
  void fields(Archive& archive) {
    archive(number, last_id, note, arrays);
  }
};

}  // namespace

std::uint64_t newest_common_state(const fabric::Job& job) {
  std::uint64_t number = UINT64_MAX;
  for (std::uint32_t pe = 0; pe < job.npes(); ++pe)
    number = std::min(number, runtime::Ledger::completed(job.segment(PeId(pe))));
  return number;
}

Snapshots::Snapshots(runtime::Context& context) : states_(1) { take_over(context); }

void Snapshots::take_over(runtime::Context& context) {
  segment_ = context.job().segment(context.pe());
  if (ledger_ == nullptr) ledger_ = std::make_unique<runtime::Ledger>(segment_, context.lasting_heap());
  if (auto adopted = context.take_adopted(); !adopted.empty()) adopted_ = std::move(adopted);
}

void Snapshots::keep(Engine& engine, Snapshot state) {
  ATOLL_EXPECT(state.number > states_.back().state.number);
  Kept kept{std::move(state), {}};
  for (const Array& array : kept.state.arrays) {
    kept.ids.push_back(++last_id_);
    ledger_->add(kept.ids.back(), array->storage.data);
  }
  ledger_->complete(kept.state.number);
  states_.push_back(std::move(kept));
  engine.barrier();
  drop(states_.front());
  states_.erase(states_.begin());
}

void Snapshots::drop(const Kept& kept) {
  for (std::uint64_t id : kept.ids) ledger_->erase(id);
}

void Snapshots::resume(Engine& engine) {
  const std::uint64_t number = newest_common_state(engine.context().job());  // until the exchange below
  const auto mine =
      std::find_if(states_.begin(), states_.end(), [&](const Kept& kept) { return kept.state.number == number; });
  Writer writer;
  if (mine != states_.end() && adopted_.empty()) {
    StateRoster roster{number, last_id_, mine->state.note, {}};
    // Of both states: numbers after this go on behind them.
    for (std::size_t i = 0; i < mine->ids.size(); ++i) {
      roster.arrays.push_back(entry_of(mine->state.arrays[i], engine));
      roster.arrays.back().id = mine->ids[i];
    }
    writer(roster);
  }
  StateRoster found;
  for (const auto& bytes : engine.allgather_bytes(writer.bytes())) {
    if (bytes.empty()) continue;
    Reader reader(bytes);
    auto roster = reader.read<StateRoster>();
    const std::uint64_t last_id = std::max(found.last_id, roster.last_id);
    if (found.number == 0) found = std::move(roster);
    found.last_id = last_id;
  }
  ATOLL_VALIDATE(found.number == number, PeFailedError,
                 "no PE is left that knows the state {} to go on from. Start the program again", number);
  if (mine != states_.end() && mine->state.number != 0) {
    const Kept kept = *mine;
    for (const Kept& other : states_)
      if (other.state.number != number) drop(other);
    states_.assign(1, kept);
  } else {
    for (const Kept& other : states_) drop(other);
    Kept kept{{number, found.note, {}}, {}};
    for (const Roster::Entry& entry : found.arrays) {
      const auto block = adopted_.find(entry.id);
      ATOLL_VALIDATE(block != adopted_.end(), PeFailedError,
                     "the memory of the dead PE {} lacks an array of shape {}. Start the program again", engine.pe(),
                     entry.shape.to_string());
      kept.state.arrays.push_back(array_of(entry, engine, block->second));
      kept.ids.push_back(entry.id);
      adopted_.erase(block);
    }
    states_.assign(1, std::move(kept));
  }
  for (const auto& [id, block] : adopted_) ledger_->erase(id);
  adopted_.clear();
  last_id_ = found.last_id;
  ledger_->complete(number);
  engine.barrier();
}

}  // namespace atl::array
