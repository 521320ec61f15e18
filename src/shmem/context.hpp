// SPDX-License-Identifier: Apache-2.0
// Communication contexts: the PEs that numbers stand for. Operations complete when they return, or at the next
// processor fence, or, between nodes, when all of the process are complete. So a context has no queue of its own.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "library.hpp"

namespace atl::shmem {

/// What stands behind a shmem_ctx_t. `direct` comes first: a handle is its address.
struct CommunicationContext {
  shmemx_ctx_v1 direct{};
  shmem_team_t team = SHMEM_TEAM_WORLD;
  std::vector<PeId> pes;  // by number in the team; empty: the world
  std::vector<shmemx_peer_v1> peers;
  long options = 0;
  std::thread::id owner;  // of a private one
};

/// The contexts of this PE. Thread-safe.
class Contexts {
 public:
  Contexts(runtime::Context& context, Checks checks);

  void open_world();
  /// Ends all of them.
  void close();
  /// A context over the PEs of `team`, by number in the team. None: those of the world.
  shmem_ctx_t create(shmem_team_t team, std::vector<PeId> pes, long options);
  void destroy(Call call, shmem_ctx_t ctx);
  /// Those of a team that goes.
  void destroy_of(shmem_team_t team);
  /// The team of a context. Does not return when it is none.
  shmem_team_t team_of(Call call, shmem_ctx_t ctx);
  /// The PE that `pe` stands for. Does not return when the context is none or has no such PE.
  PeId target(Call call, Library& library, shmem_ctx_t ctx, int pe);

 private:
  CommunicationContext& find(Call call, shmem_ctx_t ctx);
  /// A new one, or one that ended long ago.
  CommunicationContext* take();
  /// With the mutex held.
  void end(CommunicationContext& context);
  shmemx_peer_v1 peer(PeId pe) const;

  runtime::Context& context_;
  Checks checks_;
  bool direct_;  // all PEs are on this node
  std::vector<shmemx_peer_v1> world_;
  std::mutex mutex_;
  // Ended ones stay for a while, without PEs: a handle used after its end comes to the library, which knows it no more.
  std::vector<std::unique_ptr<CommunicationContext>> all_;
  std::deque<CommunicationContext*> ended_;
  std::unordered_map<shmem_ctx_t, CommunicationContext*> live_;
};

}  // namespace atl::shmem
