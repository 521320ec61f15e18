// SPDX-License-Identifier: Apache-2.0
// The one OpenSHMEM library of this process, which exists from shmem_init to the last shmem_finalize. The only
// process-wide state below the C interface.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>

#include "address.hpp"
#include "atoll/agg/hub.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/fabric/queueing.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/static_data.hpp"
#include "shmem.h"

namespace atl::shmem {

class Contexts;
class SymmetricMemory;
class Teams;

/// The OpenSHMEM function that the program called, for error messages.
struct Call {
  const char* name;
};

enum class Checks { off, on };

class Library {
 public:
  /// Joins the job. Collective.
  explicit Library(int thread_level);
  /// Leaves the job; the last call before destruction. Collective.
  void leave();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  coll::Communicator& world() { return *world_; }
  const Addresses& addresses() const { return addresses_; }
  SymmetricMemory& memory() { return *memory_; }
  Contexts& contexts() { return *contexts_; }
  Teams& teams() { return *teams_; }
  /// The hub of aggregators; the first call is collective.
  agg::Hub& hub() {
    if (!hub_) hub_ = std::make_unique<agg::Hub>(*world_);
    return *hub_;
  }
  /// Ends the job when `ctx` is not a valid context.
  shmem_team_t contexts_team(Call call, shmem_ctx_t ctx);
  /// The network, if it has operations that do not wait for their target; else null.
  fabric::Queueing* network() const { return network_; }
  fabric::Job& job() { return parts_.job; }
  runtime::OneSided& one_sided() { return parts_.one_sided; }
  runtime::Heap& heap();
  runtime::Progress& progress() { return parts_.progress; }
  runtime::FailureDetector& failures() { return parts_.failures; }
  runtime::Counters& counters() { return parts_.counters; }
  PeId pe() const { return parts_.one_sided.pe(); }
  std::uint32_t npes() const { return parts_.one_sided.npes(); }
  int thread_level() const { return thread_level_; }
  bool checking() const { return checks_ == Checks::on; }
  bool debugging() const { return debug_; }

 private:
  void open_direct_way();
  void close_direct_way();

  int thread_level_;
  Checks checks_;
  bool debug_;
  std::shared_ptr<runtime::Context> context_;  // shared with the other programming interfaces (MPI, …)
  runtime::Parts parts_;
  fabric::Queueing* network_;
  std::unique_ptr<coll::Communicator> world_;
  std::unique_ptr<runtime::StaticData> data_;
  Addresses addresses_;
  std::unique_ptr<SymmetricMemory> memory_;
  std::unique_ptr<Contexts> contexts_;
  std::unique_ptr<Teams> teams_;
  std::unique_ptr<agg::Hub> hub_;
};

namespace detail {
/// Null before the first init and after the last finalize. Not destroyed at exit, because a PE that ends without
/// finalize must count as failed.
extern Library* instance;
}  // namespace detail

/// Ends the job with one line: `atoll-shmem: PE 2: shmem_long_put: what`.
[[noreturn]] void fail(Call call, std::string_view what);
template <class... Args>
[[noreturn]] void fail(Call call, fmt::format_string<Args...> format, Args&&... args) {
  fail(call, std::string_view(fmt::format(format, std::forward<Args>(args)...)));
}
/// For the catch block of an entry point: ends the job with the exception in flight.
[[noreturn]] void fail_by_exception(Call call);
[[noreturn]] void fail_uninitialized(Call call);

inline Library& library(Call call) {
  Library* here = detail::instance;
  if (here == nullptr) [[unlikely]]
    fail_uninitialized(call);
  return *here;
}

/// The target of an operation.
struct Target {
  runtime::OneSided& one_sided;
  PeId pe;
  HeapOffset at;
};

namespace detail {
Target resolve_anywhere(Call call, shmem_ctx_t ctx, const char* argument, const void* address, std::size_t bytes,
                        int pe);
void check_own(Call call, Library& here, const char* argument, const void* address, std::size_t bytes);
void check_overlap(Call call, Library& here, const Target& target, std::size_t bytes, const void* other,
                   std::size_t other_bytes);
}  // namespace detail

/// Checks and resolves context, PE and address of an operation that did not take the direct path. Ends the job when an
/// argument is wrong, with a line that names function and argument.
inline Target resolve(Call call, shmem_ctx_t ctx, const char* argument, const void* address, std::size_t bytes,
                      int pe) {
  Library& here = library(call);
  if (ctx == SHMEM_CTX_DEFAULT && static_cast<std::uint32_t>(pe) < here.npes() && !here.checking()) [[likely]] {
    if (auto at = here.addresses().offset_of(address, bytes)) [[likely]]
      return {here.one_sided(), PeId(static_cast<std::uint32_t>(pe)), *at};
  }
  return detail::resolve_anywhere(call, ctx, argument, address, bytes, pe);
}
/// The network path to the target's PE, for operations that complete in quiet; null when the PE is on this node.
inline fabric::Queueing* queueing_path_to(const Target& to) {
  return to.one_sided.endpoint().maps(to.pe) ? nullptr : detail::instance->network();
}
/// The same for a local object (`ivar` of a wait), with checks on.
inline void check_own(Call call, const char* argument, const void* address, std::size_t bytes) {
  Library& here = library(call);
  if (here.checking()) [[unlikely]]
    detail::check_own(call, here, argument, address, bytes);
}
/// With checks on: `other_bytes` at `other` must not overlap the object when the target is this PE.
inline void check_overlap(Call call, const Target& target, std::size_t bytes, const void* other,
                          std::size_t other_bytes) {
  Library& here = library(call);
  if (here.checking()) [[unlikely]]
    detail::check_overlap(call, here, target, bytes, other, other_bytes);
}

}  // namespace atl::shmem
