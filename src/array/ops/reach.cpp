// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/reach.hpp"

#include "atoll/array/kernel/copy.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::array {
namespace {

HeapOffset behind(HeapOffset block, std::size_t bytes) { return HeapOffset(block.value() + bytes); }

}  // namespace

Reach::Reach(Engine& engine, const void* mine) : engine_(&engine) {
  auto* block = static_cast<std::byte*>(const_cast<void*>(mine));
  if (engine.npes() == 1) {
    blocks_ = {block};
    return;
  }
  const auto exposed = engine.communicator().expose(block);
  blocks_.assign(exposed.data(), exposed.data() + exposed.size());
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) offsets_.push_back(exposed.offset(pe));
}

void Reach::get(void* to, std::uint32_t pe, std::size_t at, std::size_t bytes) const {
  if (bytes == 0) return;
  if (!maps(pe)) return engine_->context().get(to, engine_->in_context(pe), behind(offsets_[pe], at), bytes);
  if (pe != engine_->pe()) engine_->count_got(bytes);
  copy_bytes(engine_->work(), to, blocks_[pe] + at, bytes);
}

void Reach::put(std::uint32_t pe, std::size_t at, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
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
  if (engine_->spans_nodes()) engine_->context().quiet();
}

}  // namespace atl::array
