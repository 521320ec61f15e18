// SPDX-License-Identifier: Apache-2.0
// A driver session that goes on when a worker has died: a new process adopts the memory of the dead one, and what was
// not completed is repeated.
//
// Workers run behind the driver, and each publishes the number of the last command that it has completed
// (runtime::Ledger). The driver keeps the calls that some worker has not completed, with their arguments: arrays among
// those are dropped on no PE. After a death the survivors forget all that they have done since the last command that
// every worker had completed, the dead one included, and the calls from there on run again. That gives the same bits,
// because results depend on data alone.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"

namespace atl::array {

/// A call of a driver, with its arguments, until each worker has completed it.
class LoggedCall {
 public:
  virtual ~LoggedCall() = default;
  virtual void send(Driver& driver) = 0;
  /// Runs it here, on copies of the arguments, and keeps the result. Returns the arrays in it.
  virtual std::vector<Array> perform(Engine& engine) = 0;

  /// Changes elements of its arguments: nothing else is under way then, so that repeating it finds the other arguments
  /// as they were.
  bool assigns = false;
  /// Uses memory of the caller, or has effects outside of arrays: over when it returns, on every PE.
  bool is_external = false;
  /// False: a death during the call is an error of the caller's.
  bool repeats = true;
  /// What makes an argument as it was before the call, if the call cannot be repeated without.
  std::shared_ptr<LoggedCall> undo;

 private:
  friend class Protection;
  std::uint64_t number_ = 0;
  std::vector<std::weak_ptr<ArrayData>> results_;
};

/// What a recovery has done, for the user.
struct Recovery {
  std::string cause;  ///< "PE 2 (pid 123) was killed by signal 9 (Killed)"
  std::vector<std::uint32_t> pes;  ///< started again
  std::uint64_t arrays = 0;  ///< that lie on them and are in use
  std::uint64_t bytes = 0;  ///< of those, in their memory
  std::uint64_t repeated = 0;  ///< calls that had returned and ran again
  std::uint64_t lost = 0;  ///< arrays that could not be made again
  double seconds = 0;
};

/// The driver's side of the PEs' connection; what a recovery takes apart and builds again.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual Engine& engine() = 0;
  virtual bool has_failed() = 0;
  virtual std::string failure() = 0;
  /// The number of the last command that every worker has completed. Reads memory alone.
  virtual std::uint64_t completed() = 0;
  /// Waits for that. Throws PeFailedError.
  virtual void await_completed(std::uint64_t number) = 0;
  /// Leaves, waits for the survivors to leave, and joins again with new processes in the place of the dead. Returns
  /// those PEs, and what their tables name. Throws PeFailedError when another one dies meanwhile.
  struct Replaced {
    std::vector<std::uint32_t> pes;
    std::uint64_t bytes = 0;
    std::uint64_t arrays = 0;
  };
  virtual Replaced replace_dead() = 0;
  /// Ends the worker that has not answered in time, so that it is replaced.
  virtual void end_suspect() = 0;
  virtual CommandChannel& channel() = 0;
};

class Protection {
 public:
  using Listener = std::function<void(const Recovery&)>;

  Protection(Connection& connection, Driver& driver);

  /// Runs a call on all PEs, again after a death. Throws PeFailedError when it must not run again, or when PEs die in
  /// it again and again; arrays are as before then.
  void run(const std::shared_ptr<LoggedCall>& call);
  void set_listener(Listener listener) { listener_ = std::move(listener); }
  /// Recoveries have failed too often: the session is over.
  bool is_over() const { return is_over_; }
  const std::vector<Recovery>& history() const { return history_; }

 private:
  void settle();
  void make_room();
  void undo(const LoggedCall& call);
  bool try_once(LoggedCall& call);
  void recover();
  void repeat(LoggedCall& call);
  void send_roster();

  Connection& connection_;
  Driver& driver_;
  std::deque<std::shared_ptr<LoggedCall>> log_;
  LoggedCall* current_ = nullptr;  // the last in the log, while it runs
  std::uint64_t sent_ = 0;  // the number of the newest command
  Listener listener_;
  std::exception_ptr refusal_;  // what it threw
  bool is_over_ = false;
  Recovery recovery_;
  std::vector<Recovery> history_;
};

/// Arrays that a worker has, as the driver says after a recovery: the first command then.
struct Roster {
  struct Entry {
    std::uint64_t id = 0;
    DType dtype{};
    Shape shape;
    std::vector<std::int64_t> counts;  ///< rows by PE; empty: equal blocks
    template <class Archive>
    void fields(Archive& archive) {
      archive(id, dtype, shape, counts);
    }
  };
  std::uint64_t command = 0;  ///< its number
  std::uint64_t last = 0;  ///< the number before that of the next array
  std::vector<Entry> arrays;
  template <class Archive>
  void fields(Archive& archive) {
    archive(command, last, arrays);
  }
};

/// An array as a roster lists it, and the array of an entry in a process that has adopted its block.
Roster::Entry entry_of(const Array& array, const Engine& engine);
Array array_of(const Roster::Entry& entry, const Engine& engine, const runtime::AdoptedBlock& block);

/// Makes a worker's table what the roster says. `adopted`: blocks of a dead PE, by number; what is not used is
/// released.
void restore(ArrayTable& table, runtime::Ledger& ledger, const Roster& roster, Engine& engine,
             std::unordered_map<std::uint64_t, runtime::AdoptedBlock> adopted);

}  // namespace atl::array
