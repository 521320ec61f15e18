// SPDX-License-Identifier: Apache-2.0
// Three ways to run one engine: embedded (this process), SPMD (this process is one PE of a job and all run the script), and
// driver (this process is PE 0 and sends every command to workers).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "atoll/array/graph.hpp"
#include "atoll/array/operations.hpp"

namespace atl::array {

class Session {
 public:
  struct Link;
  enum class Kind { embedded, spmd, driver };

  /// `threads` 0: ATOLL_THREADS, or all cores. In a process that is the only PE of a job already, on that PE.
  static std::shared_ptr<Session> embedded(unsigned threads);
  /// Joins the job that the environment names; in a process that has joined it already (by MPI, say) as the same PE. Over all its
  /// PEs, or those of `members`, numbers of PEs, of which this is one: rank r is the session's PE r. Collective over them.
  static std::shared_ptr<Session> join(const std::vector<std::uint32_t>& members = {});
  /// Starts `pes` - 1 workers, which must call run_worker(). `threads` per PE; 0: an even share of the cores.
  static std::shared_ptr<Session> drive(std::uint32_t pes, unsigned threads, const std::vector<std::string>& worker_argv);
  /// A worker's life: executes the driver's commands until it shuts down or dies. `handlers` are those of the longest list
  /// that the driver calls from.
  static void run_worker(std::span<const OperationHandler> handlers = Operations::handlers);
  ~Session();

  Kind kind() const { return kind_; }
  bool closed() const { return engine_ == nullptr; }
  /// A PE has died, or has not answered in time: nothing works any more.
  bool failed() const;
  Engine& engine();
  /// Ends the workers. Arrays keep their memory, but no operation can use them any more.
  void shutdown();
  /// In the child of a fork, which has one thread and is no PE: leaves everything to the parent. Its arrays raise from now on.
  void abandon() noexcept;

  /// Runs an operation of `List` on every PE. Threads take turns: an engine runs one operation at a time.
  template <auto operation, class List = Operations, class... Args>
  auto call(Args&&... args) {
    using Call = Signature<decltype(operation)>;
    std::lock_guard lock(busy_);
    Engine& engine = this->engine();
    typename Call::Arguments arguments(std::forward<Args>(args)...);
    auto run = [&] {
      struct End {
        Engine& engine;
        ~End() { engine.end_operation(); }
      } end{engine};
      try {
        if (driver_ != nullptr)
          std::apply([&](const auto&... values) { driver_->send(List::template number_of<operation>(), values...); }, arguments);
        return std::apply([&](auto&... values) { return operation(engine, std::move(values)...); }, arguments);
      } catch (const PeFailedError& error) {
        lose(error);
      } catch (const TimeoutError& error) {
        lose(error);
      }
    };
    if constexpr (std::is_void_v<typename Call::Result>) {
      run();
      engine.rethrow_pending();
    } else {
      auto result = run();
      if (driver_ != nullptr) for_each_array(result, [&](const Array& array) { driver_->adopt(array); });
      engine.rethrow_pending();
      return result;
    }
  }

  /// Keeps other threads out while it lives.
  std::unique_lock<std::recursive_mutex> hold() { return std::unique_lock(busy_); }

  // -- graphs --
  /// The stored value; evaluates what is lazy and remembers it in the node.
  const Array& value(const NodePtr& node);
  /// Reduces a graph in one pass; `keep`: stores it as well.
  enum class Keep { no, yes };
  ReductionValue reduce(const NodePtr& node, Reduction kind, Keep keep);

 private:
  Session() = default;
  void prepare(const NodePtr& node);
  [[noreturn]] void lose(const PeFailedError& error);
  [[noreturn]] void lose(const TimeoutError& error);
  std::string advice() const;

  std::recursive_mutex busy_;
  Kind kind_ = Kind::embedded;
  bool abandoned_ = false;
  std::unique_ptr<Link> link_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<Driver> driver_;
};

}  // namespace atl::array
