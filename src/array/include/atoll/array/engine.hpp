// SPDX-License-Identifier: Apache-2.0
// One PE's array engine: its threads, its memory, its way to the other PEs. Operations are functions of an engine.
#pragma once

#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/array/idle_trimmer.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/ids.hpp"

namespace atl::runtime {
class Context;
class Heap;
class Team;
}  // namespace atl::runtime
namespace atl::coll {
class Communicator;
}

namespace atl::array {

/// Called from the engine's own thread during long operations: operation, done, total. May throw to stop the operation.
using ProgressCallback = std::function<void(const char* operation, std::uint64_t done, std::uint64_t total)>;

enum class Interruptible { no, yes };

class Engine {
 public:
  /// Collective over the PEs of `context`, which arrays keep alive. `grain` 0: ATOLL_GRAIN.
  Engine(std::shared_ptr<runtime::Context> context, unsigned threads, std::int64_t grain = 0);
  /// Over some PEs of `context`: PE p of the engine is the team's rank p. Collective over the team, of which this PE is
  /// a member.
  Engine(std::shared_ptr<runtime::Context> context, const runtime::Team& team, unsigned threads,
         std::int64_t grain = 0);
  /// Of this PE alone, beside `whole`, with one thread: for small work of a driver.
  explicit Engine(Engine& whole);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  std::uint32_t pe() const { return pe_; }
  std::uint32_t npes() const { return npes_; }
  /// What the context calls PE `pe` of this engine.
  PeId in_context(std::uint32_t pe) const;
  ThreadPool& threads() { return threads_; }
  Memory& memory();
  runtime::Heap& heap();
  runtime::Context& context() { return *context_; }
  /// For what outlives the engine: memory goes back to the context's heap.
  const std::shared_ptr<runtime::Context>& shared_context() const { return context_; }
  coll::Communicator& communicator() { return *communicator_; }
  std::int64_t grain() const { return grain_; }
  /// For local kernels. Interruptible: nothing that anybody sees is half changed while the kernel runs. With several
  /// PEs an interrupt ends it within together() and interruptibly(), where all PEs agree on it; elsewhere it waits.
  Work work(Interruptible interruptible = Interruptible::yes);

  // -- memory --
  /// A new array with undefined elements. Collective: when it fits on one PE but not on another, all throw MemoryError.
  Array make(DType dtype, const Shape& shape);
  /// Several at once: one agreement.
  std::vector<Array> make(const std::vector<std::pair<DType, Shape>>& kinds);
  /// 1-d arrays of which every PE has as many elements as it says.
  std::vector<Array> make_uneven(const std::vector<std::pair<DType, std::int64_t>>& local);
  /// An array over memory of somebody else's. One PE only.
  Array wrap(DType dtype, const Shape& shape, void* data, std::shared_ptr<void> owner);

  // -- agreement and small exchanges (immediate with one PE) --
  void barrier();
  /// `size` bytes of every PE, in PE order.
  std::vector<std::byte> allgather(const void* data, std::size_t size);
  /// Any number of bytes of every PE.
  std::vector<std::vector<std::byte>> allgather_bytes(std::span<const std::byte> mine);
  template <class T>
  std::vector<T> allgather_value(const T& mine) {
    auto bytes = allgather(&mine, sizeof(T));
    std::vector<T> all(npes_);
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  template <class T>
  std::vector<std::vector<T>> allgather_vector(const std::vector<T>& mine) {
    std::vector<std::vector<T>> all;
    for (auto& bytes : allgather_bytes(std::as_bytes(std::span(mine)))) {
      auto& values = all.emplace_back(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return all;
  }
  /// Runs `body` on this PE and makes its outcome everybody's: when it throws on any PE, all PEs throw the exception of
  /// the lowest such PE. For checks of data and for allocations, before anything is changed.
  void together(const std::function<void()>& body);
  /// Runs a local kernel that fills new memory and takes long for many elements (`elements`: of all PEs, and the same
  /// number on each): as together(), so that an interrupt of one PE ends the kernels of all. Few elements are not worth
  /// the agreement: then each PE runs the kernel alone, which must not throw.
  void interruptibly(std::int64_t elements, const std::function<void()>& body);

  // -- other nodes --
  /// Whether memory of some PEs is not mapped (the same on every PE).
  bool spans_nodes() const { return staging_.size() != 0; }
  /// Memory in the heap for what passes to and from such PEs, one user at a time: 1 MiB, which a network of 10 GB/s
  /// moves in 100 us, many times its latency. Empty on one node.
  std::span<std::byte> staging() const { return {staging_.data(), staging_.size()}; }

  /// Bytes that operations stored into or loaded from other PEs' blocks directly, as they count them: sorts and moves,
  /// not single elements of gathers and scatters. The context's endpoint counts its own operations.
  struct Volume {
    std::uint64_t put_bytes = 0, got_bytes = 0;
  };
  void count_put(std::size_t bytes) { volume_.put_bytes += bytes; }
  void count_got(std::size_t bytes) { volume_.got_bytes += bytes; }
  const Volume& volume() const { return volume_; }
  /// Adds to the time that this PE's operations spent in a phase; for those of several phases that want to be known.
  void count_phase(const char* name, std::int64_t ns) { phases_[name] += static_cast<std::uint64_t>(ns); }
  const std::map<std::string, std::uint64_t>& phases() const { return phases_; }

  // -- long operations --
  void set_progress(ProgressCallback callback);
  /// `forward` is called when this PE's user interrupts an operation, and every 50 ms while this PE then waits for the
  /// others: it interrupts what runs on other PEs and does not poll.
  void forward_interrupts(std::function<void()> forward) { forward_ = std::move(forward); }
  /// Encloses an operation, of any number of begin_operation(): meanwhile this PE looks for interrupts also where it
  /// waits for others.
  void enter_operation() { is_running_ = true; }
  /// Names the running operation for progress reports.
  void begin_operation(const char* name);
  /// The counterpart of enter_operation(). Reports an operation that has reported progress as done.
  void end_operation() noexcept;
  /// Throws what the callback threw while the operation could not be stopped.
  void rethrow_pending();
  /// Runs `body`, whose outcome the caller tells all PEs: an interrupt of any PE ends its kernels, as in together().
  void before_agreement(const std::function<void()>& body);
  /// This PE's part of the operation has failed: the others may end theirs.
  void stop_others();
  /// Whether an interrupt, or a failure, of any PE is to end the running operation.
  bool is_interrupted();
  std::uint64_t commands() const { return commands_.load(std::memory_order_relaxed); }

 private:
  class OperationMonitor;
  class Agreement;

  Engine(std::shared_ptr<runtime::Context> context, std::unique_ptr<coll::Communicator> communicator, unsigned threads,
         std::int64_t grain, Engine* whole = nullptr);

  Array allocate(DType dtype, const Shape& shape, Distribution distribution);
  bool others_stop();
  void take_stop_down();

  std::shared_ptr<runtime::Context> context_;
  std::uint32_t pe_;
  std::uint32_t npes_;
  std::int64_t grain_;
  ThreadPool threads_;
  std::unique_ptr<coll::Communicator> communicator_;
  ProgressCallback progress_;
  std::function<void()> forward_;
  bool is_running_ = false;
  bool has_stopped_others_ = false;
  bool reported_ = false;  // the running operation has called it
  const char* operation_ = "";
  std::atomic<std::uint64_t> commands_{0};
  Volume volume_;
  std::map<std::string, std::uint64_t> phases_;
  std::int64_t next_callback_ns_ = 0;
  std::atomic<std::int64_t> next_look_ns_{0};  // threads of a program look, too
  std::exception_ptr pending_;
  std::unique_ptr<OperationMonitor> interruptible_;
  std::unique_ptr<OperationMonitor> uninterruptible_;
  Buffer<std::byte> staging_;
  std::atomic<std::uint64_t> own_activity_{0};
  std::atomic<std::uint64_t>& activity_;  // operations so far, those of an engine beside this one included
  std::optional<IdleTrimmer> trimmer_;  // none beside another engine
};

}  // namespace atl::array
