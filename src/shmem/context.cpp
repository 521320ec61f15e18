// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <fmt/format.h>

namespace atl::shmem {
namespace {

// Number of ended contexts whose handles are not reused yet. With checks on, no handle is reused.
constexpr std::size_t ended_to_keep = 1024;

}  // namespace

// The tables contain directly accessible PEs only; in a job of several nodes every operation is a call.
Contexts::Contexts(runtime::OneSided& one_sided, Checks checks)
    : one_sided_(one_sided), checks_(checks), direct_(one_sided.job().local_pes() == one_sided.npes()) {
  for (std::uint32_t pe = 0; direct_ && pe < one_sided.npes(); ++pe) world_.push_back(peer(PeId(pe)));
}

shmemx_peer_v1 Contexts::peer(PeId pe) const {
  const auto* own = one_sided_.local_pointer(HeapOffset(0));
  const auto* there = one_sided_.peer_pointer(pe, HeapOffset(0), 0);
  const auto* bell = reinterpret_cast<const uint32_t*>(&one_sided_.job().record(pe).sleeping);
  return {reinterpret_cast<std::ptrdiff_t>(there) - reinterpret_cast<std::ptrdiff_t>(own), bell};
}

void Contexts::open_world() {
  shmemx_direct_v1.world.peers = world_.data();
  shmemx_direct_v1.world.npes = world_.size();
  if (checks_ == Checks::off && direct_) shmemx_direct_v1.world.flags = SHMEMX_CTX_PLAIN_;
}

void Contexts::close() {
  // Programs may still hold handles. The handle objects stay, so that their use is detected.
  static auto* left_behind = new std::vector<std::unique_ptr<CommunicationContext>>;
  for (auto& context : all_) {
    context->direct = {};
    left_behind->push_back(std::move(context));
  }
  all_.clear();
  ended_.clear();
  live_.clear();
  shmemx_direct_v1.world = {};
}

shmem_ctx_t Contexts::create(shmem_team_t team, std::vector<PeId> pes, long options) {
  CommunicationContext* made = take();
  made->team = team;
  made->options = options;
  made->owner = std::this_thread::get_id();
  if (direct_)
    for (PeId pe : pes) made->peers.push_back(peer(pe));
  const auto& peers = pes.empty() ? world_ : made->peers;
  made->direct = {peers.size(), peers.data(), shmemx_direct_v1.world.flags, 0, made};
  made->pes = std::move(pes);
  std::lock_guard lock(mutex_);
  live_[&made->direct] = made;
  return &made->direct;
}

CommunicationContext* Contexts::take() {
  std::lock_guard lock(mutex_);
  if (checks_ == Checks::off && ended_.size() > ended_to_keep) {
    CommunicationContext* oldest = ended_.front();
    ended_.pop_front();
    return oldest;
  }
  all_.push_back(std::make_unique<CommunicationContext>());
  return all_.back().get();
}

void Contexts::end(CommunicationContext& context) {
  context.direct = {};
  context.pes = {};
  context.peers = {};
  ended_.push_back(&context);
}

CommunicationContext& Contexts::find(Call call, shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) fail(call, "argument 'ctx' is SHMEM_CTX_INVALID");
  std::lock_guard lock(mutex_);
  auto at = live_.find(ctx);
  if (at == live_.end()) fail(call, "argument 'ctx': {} is not a context, or has been destroyed", fmt::ptr(ctx));
  CommunicationContext& found = *at->second;
  if (checks_ == Checks::on && (found.options & SHMEM_CTX_PRIVATE) != 0 && found.owner != std::this_thread::get_id())
    fail(call, "argument 'ctx': {} is private to the thread that created it", fmt::ptr(ctx));
  return found;
}

void Contexts::destroy(Call call, shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_DEFAULT) fail(call, "argument 'ctx': the default context cannot be destroyed");
  CommunicationContext& found = find(call, ctx);
  one_sided_.quiet();
  std::lock_guard lock(mutex_);
  end(found);
  live_.erase(ctx);
}

void Contexts::destroy_of(shmem_team_t team) {
  one_sided_.quiet();
  std::lock_guard lock(mutex_);
  std::erase_if(live_, [&](auto& entry) {
    CommunicationContext& found = *entry.second;
    if (found.team != team) return false;
    end(found);
    return true;
  });
}

shmem_team_t Contexts::team_of(Call call, shmem_ctx_t ctx) {
  return ctx == SHMEM_CTX_DEFAULT ? SHMEM_TEAM_WORLD : find(call, ctx).team;
}

PeId Contexts::target(Call call, Library& library, shmem_ctx_t ctx, int pe) {
  const CommunicationContext* special = ctx == SHMEM_CTX_DEFAULT ? nullptr : &find(call, ctx);
  bool world = special == nullptr || special->pes.empty();
  std::size_t npes = world ? library.npes() : special->pes.size();
  if (pe < 0 || static_cast<std::size_t>(pe) >= npes) [[unlikely]]
    fail(call, "argument 'pe': there is no PE {}: the {} has PEs 0 to {}", pe, world ? "job" : "context's team",
         npes - 1);
  return world ? PeId(static_cast<std::uint32_t>(pe)) : special->pes[static_cast<std::size_t>(pe)];
}

}  // namespace atl::shmem
