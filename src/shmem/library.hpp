// SPDX-License-Identifier: Apache-2.0
// The one OpenSHMEM library of this process: what shmem_init makes and the last shmem_finalize takes away. The only
// process-wide state below the C door.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>

#include "address.hpp"
#include "atoll/agg/hub.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/static_data.hpp"
#include "shmem.h"

namespace atl::shmem {

class Contexts;
class SymmetricMemory;
class Teams;

/// The entry point a user called, for messages.
struct Call {
  const char* name;
};

enum class Checks { off, on };

class Library {
 public:
  /// Joins the job. Collective.
  explicit Library(int thread_level);
  /// Leaves it: the last thing to do, before destruction. Collective.
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
  /// For aggregators; the first call is collective.
  agg::Hub& hub() {
    if (!hub_) hub_ = std::make_unique<agg::Hub>(*world_);
    return *hub_;
  }
  /// Does not return when `ctx` is no context.
  shmem_team_t contexts_team(Call call, shmem_ctx_t ctx);
  PeId pe() const { return context_->pe(); }
  std::uint32_t npes() const { return context_->npes(); }
  int thread_level() const { return thread_level_; }
  bool checking() const { return checks_ == Checks::on; }
  bool debugging() const { return debug_; }

 private:
  void open_direct_way();
  void close_direct_way();

  int thread_level_;
  Checks checks_;
  bool debug_;
  std::shared_ptr<runtime::Context> context_;  // of all doors
  std::unique_ptr<coll::Communicator> world_;
  std::unique_ptr<runtime::StaticData> data_;
  Addresses addresses_;
  std::unique_ptr<SymmetricMemory> memory_;
  std::unique_ptr<Contexts> contexts_;
  std::unique_ptr<Teams> teams_;
  std::unique_ptr<agg::Hub> hub_;
};

namespace detail {
/// Null before the first init and after the last finalize. Not destroyed at exit: a PE that ends without finalize has
/// not left the job in order.
extern Library* instance;
}  // namespace detail

/// Ends the job with one line: `atoll-shmem: PE 2: shmem_long_put: what`.
[[noreturn]] void fail(Call call, std::string_view what);
template <class... Args>
[[noreturn]] void fail(Call call, fmt::format_string<Args...> format, Args&&... args) {
  fail(call, std::string_view(fmt::format(format, std::forward<Args>(args)...)));
}
/// For the handler of an entry point: ends the job for the exception in flight.
[[noreturn]] void fail_by_exception(Call call);
[[noreturn]] void fail_uninitialized(Call call);

inline Library& library(Call call) {
  Library* here = detail::instance;
  if (here == nullptr) [[unlikely]]
    fail_uninitialized(call);
  return *here;
}

/// Where an operation goes.
struct Target {
  runtime::Context& context;
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

/// Settles context, PE and address of an operation that did not go the direct way. Does not return when one of them
/// is wrong: the line names the function and the argument.
inline Target resolve(Call call, shmem_ctx_t ctx, const char* argument, const void* address, std::size_t bytes,
                      int pe) {
  Library& here = library(call);
  if (ctx == SHMEM_CTX_DEFAULT && static_cast<std::uint32_t>(pe) < here.npes() && !here.checking()) [[likely]] {
    if (auto at = here.addresses().offset_of(address, bytes)) [[likely]]
      return {here.context(), PeId(static_cast<std::uint32_t>(pe)), *at};
  }
  return detail::resolve_anywhere(call, ctx, argument, address, bytes, pe);
}
/// The same for an object of this PE's own (`ivar` of a wait), with checks on.
inline void check_own(Call call, const char* argument, const void* address, std::size_t bytes) {
  Library& here = library(call);
  if (here.checking()) [[unlikely]]
    detail::check_own(call, here, argument, address, bytes);
}
/// With checks on: `other_bytes` at `other` may not overlap the object when the target is this PE.
inline void check_overlap(Call call, const Target& target, std::size_t bytes, const void* other,
                          std::size_t other_bytes) {
  Library& here = library(call);
  if (here.checking()) [[unlikely]]
    detail::check_overlap(call, here, target, bytes, other, other_bytes);
}

}  // namespace atl::shmem
