// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/reach.hpp"

#include <optional>

#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/phase.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::array {
namespace {

// Shorter copies take less time than the clock.
constexpr std::size_t timed_bytes = 4096;

HeapOffset behind(HeapOffset block, std::size_t bytes) { return HeapOffset(block.value() + bytes); }

}  // namespace

Reach::Reach(Engine& engine, const void* mine) : engine_(&engine) {
  auto* block = static_cast<std::byte*>(const_cast<void*>(mine));
  if (engine.npes() == 1) {
    blocks_ = {block};
    return;
  }
  const Phase phase(engine, wait_phase);
  const auto exposed = engine.communicator().expose(block);
  blocks_.assign(exposed.data(), exposed.data() + exposed.size());
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) offsets_.push_back(exposed.offset(pe));
}

void Reach::get(void* to, std::uint32_t pe, std::size_t at, std::size_t bytes) const {
  if (bytes == 0) return;
  std::optional<Phase> phase;
  if (pe != engine_->pe() && bytes >= timed_bytes) phase.emplace(*engine_, exchange_phase);
  if (!maps(pe)) return engine_->context().get(to, engine_->in_context(pe), behind(offsets_[pe], at), bytes);
  if (pe != engine_->pe()) engine_->count_got(bytes);
  copy_bytes(engine_->work(), to, blocks_[pe] + at, bytes);
}

void Reach::put(std::uint32_t pe, std::size_t at, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  std::optional<Phase> phase;
  if (pe != engine_->pe() && bytes >= timed_bytes) phase.emplace(*engine_, exchange_phase);
  if (!maps(pe)) return engine_->context().put(engine_->in_context(pe), behind(offsets_[pe], at), from, bytes);
  if (pe != engine_->pe()) engine_->count_put(bytes);
  copy_bytes(engine_->work(), blocks_[pe] + at, from, bytes);
}

void Reach::start_get(void* to, std::uint32_t pe, std::size_t at, std::size_t bytes) const {
  if (bytes != 0) engine_->context().get_nbi(to, engine_->in_context(pe), behind(offsets_[pe], at), bytes);
}

void Reach::start_put(std::uint32_t pe, std::size_t at, const void* from, std::size_t bytes) const {
  if (bytes != 0) engine_->context().put_nbi(engine_->in_context(pe), behind(offsets_[pe], at), from, bytes);
}

void Reach::complete() const {
  if (!engine_->spans_nodes()) return;
  const Phase phase(*engine_, exchange_phase);
  engine_->context().quiet();
}

}  // namespace atl::array
