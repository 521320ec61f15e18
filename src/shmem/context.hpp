// SPDX-License-Identifier: Apache-2.0
// Communication contexts: they map PE numbers of a team to PEs. A context has no queue of its own, because operations
// complete on return, at the next processor fence, or, between nodes, with all operations of the process.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "library.hpp"

namespace atl::shmem {

/// The object of a shmem_ctx_t. `direct` must be the first member: the handle is its address.
struct CommunicationContext {
  shmemx_ctx_v1 direct{};
  shmem_team_t team = SHMEM_TEAM_WORLD;
  std::vector<PeId> pes;  // by number in the team; empty: the world
  std::vector<shmemx_peer_v1> peers;
  long options = 0;
  std::thread::id owner;  // owner of a private context
};

/// The contexts of this PE. Thread-safe.
class Contexts {
 public:
  Contexts(runtime::OneSided& one_sided, Checks checks);

  void open_world();
  /// Ends all contexts.
  void close();
  /// A context over the PEs of `team`, in the team's order; empty `pes`: the world.
  shmem_ctx_t create(shmem_team_t team, std::vector<PeId> pes, long options);
  void destroy(Call call, shmem_ctx_t ctx);
  /// Destroys the contexts of a team that is being destroyed.
  void destroy_of(shmem_team_t team);
  /// The team of a context. Ends the job when the context is invalid.
  shmem_team_t team_of(Call call, shmem_ctx_t ctx);
  /// The PE with number `pe` in the context's team. Ends the job when the context or the number is invalid.
  PeId target(Call call, Library& library, shmem_ctx_t ctx, int pe);

 private:
  CommunicationContext& find(Call call, shmem_ctx_t ctx);
  /// A new context, or one that ended long ago.
  CommunicationContext* take();
  /// Call with the mutex held.
  void end(CommunicationContext& context);
  shmemx_peer_v1 peer(PeId pe) const;

  runtime::OneSided& one_sided_;
  Checks checks_;
  bool direct_;  // whether all PEs are on this node
  std::vector<shmemx_peer_v1> world_;
  std::mutex mutex_;
  // Ended contexts stay for a while without PEs, so that a use of their handles reaches the library, which rejects it.
  std::vector<std::unique_ptr<CommunicationContext>> all_;
  std::deque<CommunicationContext*> ended_;
  std::unordered_map<shmem_ctx_t, CommunicationContext*> live_;
};

}  // namespace atl::shmem
