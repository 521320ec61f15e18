// SPDX-License-Identifier: Apache-2.0
// Three ways to run one engine: embedded (this process), SPMD (this process is one PE of a job and all run the script),
// and driver (this process is PE 0 and sends every command to workers).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "atoll/array/graph.hpp"
#include "atoll/array/operations.hpp"
#include "atoll/array/pointed_elements.hpp"
#include "atoll/array/protection.hpp"
#include "atoll/array/small_work.hpp"
#include "atoll/array/snapshots.hpp"
#include "atoll/array/whereabouts.hpp"

namespace atl::array {

/// Operations whose arguments may differ between the PEs of an SPMD session.
template <auto operation>
inline constexpr bool arguments_differ = false;
template <>
inline constexpr bool arguments_differ<&from_local> = true;
/// Operations that change the elements of their first argument.
template <auto operation>
inline constexpr bool assigns_elements = false;
template <>
inline constexpr bool assigns_elements<&assign_slice> = true;
template <>
inline constexpr bool assigns_elements<&assign_mask> = true;
template <>
inline constexpr bool assigns_elements<&assign_index> = true;
/// Whether a second run of an operation finds no effects of the first in its way.
template <auto operation>
struct Repeatable {
  template <class Arguments>
  static bool with(const Arguments&) {
    return true;
  }
};

class Session {
 public:
  struct Link;
  enum class Kind { embedded, spmd, driver };
  /// What a session survives. process: the death of PEs, whose memory new processes adopt; of a driver session its
  /// workers', of an SPMD session any.
  enum class Resilience { off, process };

  /// `threads` 0: ATOLL_THREADS, or all cores. In a process that is the only PE of a job already, on that PE.
  static std::shared_ptr<Session> embedded(unsigned threads);
  /// Joins the job that the environment names; in a process that has joined it already (by MPI, say) as the same PE.
  /// Over all its PEs, or those of `members`, numbers of PEs, of which this is one: rank r is the session's PE r.
  /// Collective over them.
  static std::shared_ptr<Session> join(const std::vector<std::uint32_t>& members = {},
                                       Resilience resilience = Resilience::off);
  /// The place of a dead PE of such a session, which join() makes this process take. The other PEs wait for it.
  struct Place {
    std::uint32_t pe = 0;
    std::uint32_t npes = 0;
    std::uint64_t number = 0;  ///< of the state from which all will go on
  };
  /// None: this process replaces no PE, or has joined.
  static std::optional<Place> replaced_place();
  /// Starts `pes` - 1 workers, which must call run_worker(). `threads` per PE; 0: an even share of the cores.
  static std::shared_ptr<Session> drive(std::uint32_t pes, unsigned threads,
                                        const std::vector<std::string>& worker_argv,
                                        Resilience resilience = Resilience::off);
  /// The driver of a job over hosts that a launcher has started for this process, which is its PE 0. `agent`: a socket
  /// to the agent of this host, as the launcher made it for PE 0; the session owns it. `threads` of this PE. The other
  /// PEs must call run_worker().
  static std::shared_ptr<Session> drive_job(int agent, std::uint32_t npes, unsigned threads);
  /// A worker's life: executes the driver's commands until it shuts down or dies. `handlers` are those of the longest
  /// list that the driver calls from.
  static void run_worker(std::span<const OperationHandler> handlers = Operations::handlers);
  ~Session();

  Kind kind() const { return kind_; }
  bool closed() const { return engine_ == nullptr; }
  /// A PE has died or has not answered in time, or PEs have diverged: nothing works any more.
  bool failed() const;
  Engine& engine();
  /// Ends the workers. Arrays keep their memory, but no operation can use them any more. Not from within an operation.
  void shutdown();
  /// What tells where this PE's program is, called without any lock: "in ndarray.sum (sums.py:4: `print(a.sum())`)".
  /// For the errors of an SPMD session, and before each of its operations where ATOLL_SPMD_CHECK is set. Empty: the
  /// program has ended.
  using Locator = std::function<std::string()>;
  void set_locator(Locator locator) { locator_ = std::move(locator); }
  /// Called during long operations of this session; see Engine::set_progress().
  void set_progress(ProgressCallback progress) {
    progress_ = std::move(progress);
    engine().set_progress(progress_);
    if (alone_ != nullptr) alone_->set_progress(progress_);
  }
  /// Processes of a driver's workers, from PE 1 on; 0: one that has just died. By any thread, while the session is
  /// open.
  std::vector<std::int32_t> worker_pids() const;
  /// Null: the session does not survive deaths.
  Protection* protection() { return protection_.get(); }
  /// Of an SPMD session that survives deaths; else null.
  const Snapshots* snapshots() const { return snapshots_.get(); }
  /// Keeps a state of the program: Snapshots::keep(). Collective.
  void keep(Snapshot state);
  /// After a death: goes back to the newest state that all PEs have kept, with new processes in the place of the dead.
  /// Collective over the survivors. Returns what was done.
  Recovery recover();
  /// In the child of a fork, which has one thread and is no PE: leaves everything to the parent. Its arrays raise from
  /// now on.
  void abandon() noexcept;

  /// Runs an operation of `List` on every PE. Threads take turns: an engine runs one operation at a time. What runs
  /// within an operation on its thread (a signal handler, a finalizer, a callback) gets an Error and must not call one;
  /// arrays may be dropped there.
  template <auto operation, class List = Operations, class... Args>
  auto call(Args&&... args) {
    std::lock_guard lock(busy_);
    if constexpr (std::is_void_v<typename Signature<decltype(operation)>::Result>) {
      complete<operation, List>(std::forward<Args>(args)...);
      rethrow_pending();
    } else {
      auto result = complete<operation, List>(std::forward<Args>(args)...);
      rethrow_pending();
      return result;
    }
  }

  /// Keeps other threads out while it lives.
  std::unique_lock<std::recursive_mutex> hold() { return std::unique_lock(busy_); }

  // -- small work of a driver --
  /// The engine of PE 0 alone, if there is one.
  Engine& alone() { return *alone_; }
  /// As call(), on all PEs also where the arguments are small; arrays among them are on all PEs.
  template <auto operation, class List = Operations, class... Args>
  auto call_on_all(Args&&... args) {
    std::lock_guard lock(busy_);
    return run_on_all<operation, List>(typename Signature<decltype(operation)>::Arguments(std::forward<Args>(args)...));
  }
  /// Brings what is on PE 0 alone to all PEs.
  template <class T>
  void spread(const T& value) {
    std::lock_guard lock(busy_);
    if (alone_ != nullptr && Placed<T>::is_alone(value)) Placed<T>::spread(*this, value);
  }

  // -- graphs --
  /// The stored value; evaluates what is lazy and remembers it in the node.
  const Array& value(const NodePtr& node);
  /// Reduces a graph in one pass; `keep`: stores it as well.
  enum class Keep { no, yes };
  ReductionValue reduce(const NodePtr& node, Reduction kind, Keep keep);
  /// Reduces a graph along axes without storing it.
  Array reduce_axes(const NodePtr& node, Reduction kind, std::uint32_t axes);
  /// The product of two matrices of one type. Transposes of floats are read where their matrices lie.
  Array multiply(const NodePtr& a, const NodePtr& b);

 private:
  /// As call(), but an interrupt that came too late to end the operation is left to the caller (rethrow_pending()),
  /// which may have to note the result before.
  template <auto operation, class List = Operations, class... Args>
  auto complete(Args&&... args) {
    using Call = Signature<decltype(operation)>;
    std::lock_guard lock(busy_);
    engine();
    typename Call::Arguments arguments(std::forward<Args>(args)...);
    if (alone_ != nullptr && placed_alone<operation>(arguments)) return run_alone<operation>(std::move(arguments));
    return run_on_all<operation, List>(std::move(arguments));
  }
  void rethrow_pending() {
    engine().rethrow_pending();
    if (alone_ != nullptr) alone_->rethrow_pending();
  }

  /// Whether the operation is to run on PE 0 alone. Brings its arrays where they are to be.
  template <auto operation, class Arguments>
  bool placed_alone(Arguments& arguments) {
    refuse_within_operation();
    Census census = census_of(arguments);
    bool is_small = false;
    if constexpr (MayRunAlone<operation>::value) {
      census.add(LargestResult<operation>::of(arguments));
      is_small = census.elements <= small_elements_ && census.may_return && !failed();
    }
    if (!(is_small ? census.has_spread : census.has_alone)) return is_small;
    for_each_placed(arguments, [&]<class T>(T& value) {
      if constexpr (Placed<T>::value) {
        if (Placed<T>::is_null(value) || Placed<T>::is_alone(value) == is_small) return;
        if (is_small) Placed<T>::gather(*this, value);
        else Placed<T>::spread(*this, value);
      }
    });
    return is_small;
  }
  template <auto operation>
  auto run_alone(typename Signature<decltype(operation)>::Arguments&& arguments) {
    const Running running(*this);
    const Extent extent(*alone_);
    return std::apply([&](auto&... values) { return operation(*alone_, std::move(values)...); }, arguments);
  }
  template <auto operation, class List>
  auto run_on_all(typename Signature<decltype(operation)>::Arguments&& arguments) {
    using Call = Signature<decltype(operation)>;
    Engine& engine = this->engine();
    const Running running(*this);
    if (protection_ != nullptr) return call_protected<operation, List>(std::move(arguments));
    if (checks_) {
      Writer call;
      call(List::template number_of<operation>());
      if constexpr (!arguments_differ<operation>)
        std::apply([&](const auto&... values) { call(values..., PointedElements<operation>::digest(values...)); },
                   arguments);
      agree(call.bytes());
    }
    auto run = [&] {
      const Extent extent(engine);
      try {
        if (driver_ != nullptr)
          std::apply([&](const auto&... values) { driver_->send(List::template number_of<operation>(), values...); },
                     arguments);
        return std::apply([&](auto&... values) { return operation(engine, std::move(values)...); }, arguments);
      } catch (...) { rethrow_with_advice(); }
    };
    if constexpr (std::is_void_v<typename Call::Result>) {
      run();
    } else {
      auto result = run();
      if (driver_ != nullptr) for_each_array(result, [&](const Array& array) { driver_->adopt(array); });
      if (checks_)
        for_each_array(result, [&](const Array& array) {
          if (array != nullptr) array->id = ++numbered_;
        });
      return result;
    }
  }

  /// Marks the session as busy on this thread. Throws when it is already.
  class Running {
   public:
    explicit Running(Session& session) : session_(session) {
      session_.refuse_within_operation();
      session_.running_ = true;
    }
    ~Running() { session_.running_ = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Session& session_;
  };

  /// The time that an engine runs an operation.
  struct Extent {
    explicit Extent(Engine& running) : engine(running) { engine.enter_operation(); }
    ~Extent() { engine.end_operation(); }
    Extent(const Extent&) = delete;
    Extent& operator=(const Extent&) = delete;
    Engine& engine;
  };

  class DriverConnection;

  template <auto operation, class List>
  class ProtectedCall final : public LoggedCall {
   public:
    using Call = Signature<decltype(operation)>;
    explicit ProtectedCall(typename Call::Arguments&& arguments) : arguments_(std::move(arguments)) {
      assigns = assigns_elements<operation>;
      is_external = std::apply([](const auto&... values) { return (is_driver_only(values) || ...); }, arguments_);
      repeats = Repeatable<operation>::with(arguments_);
    }
    void send(Driver& driver) override {
      std::apply([&](const auto&... values) { driver.send(List::template number_of<operation>(), values...); },
                 arguments_);
    }
    std::vector<Array> perform(Engine& engine) override {
      const Extent extent(engine);
      typename Call::Arguments copies = arguments_;
      auto run = [&] {
        return std::apply([&](auto&... values) { return operation(engine, std::move(values)...); }, copies);
      };
      std::vector<Array> arrays;
      if constexpr (std::is_void_v<typename Call::Result>) {
        run();
      } else {
        result_.emplace(run());
        for_each_array(*result_, [&](const Array& array) { arrays.push_back(array); });
      }
      return arrays;
    }
    auto take_result() {
      if constexpr (!std::is_void_v<typename Call::Result>) {
        auto taken = std::move(*result_);
        result_.reset();
        return taken;
      }
    }
    const typename Call::Arguments& arguments() const { return arguments_; }

   private:
    template <class T>
    static constexpr bool is_driver_only(const DriverOnly<T>&) {
      return true;
    }
    template <class T>
    static constexpr bool is_driver_only(const T&) {
      return false;
    }
    struct Nothing {};
    typename Call::Arguments arguments_;
    std::optional<std::conditional_t<std::is_void_v<typename Call::Result>, Nothing, typename Call::Result>> result_;
  };

  template <auto operation, class List>
  auto call_protected(typename Signature<decltype(operation)>::Arguments&& arguments) {
    auto call = std::make_shared<ProtectedCall<operation, List>>(std::move(arguments));
    if constexpr (assigns_elements<operation>) call->undo = undo_of(call->arguments());
    protection_->run(call);
    return call->take_result();
  }
  /// For an assignment that reads what it assigns to: what makes the array as it was. Else null.
  template <class... Args>
  std::shared_ptr<LoggedCall> undo_of(const std::tuple<Args...>& arguments) {
    const Array& array = std::get<0>(arguments);
    const bool reads = std::apply(
        [&](const auto&, const auto&... others) { return (reads_old_elements(array, others) || ...); }, arguments);
    return reads ? make_undo(array) : nullptr;
  }
  static bool reads_old_elements(const Array& array, const Array& other) {
    return other != nullptr && other->storage.owner == array->storage.owner;
  }
  static bool reads_old_elements(const Array&, AssignMode mode) { return mode != AssignMode::set; }
  template <class T>
  static bool reads_old_elements(const Array&, const T&) {
    return false;
  }
  std::shared_ptr<LoggedCall> make_undo(const Array& array);
  void forward_interrupts();
  void begin_spmd(const std::vector<std::uint32_t>& members);
  void resume(const std::function<void()>& look);

  Session() = default;
  static std::shared_ptr<Session> driver(std::unique_ptr<Link> link);
  void refuse_within_operation() const;
  /// Before an operation of an SPMD session.
  void agree(std::span<const std::byte> call);
  std::string where() const;
  void end(std::string_view where);
  void prepare(const NodePtr& node);
  /// Rethrows the exception in flight. The message of one after which the session is lost says what to do.
  [[noreturn]] void rethrow_with_advice();
  /// How the PEs differ in what they do, as far as the others say within that time. Empty: they do not, or none said.
  std::string differences_within(double seconds);
  std::string advice() const;

  std::recursive_mutex busy_;
  bool running_ = false;  // guarded by busy_, like all that follows
  Kind kind_ = Kind::embedded;
  bool abandoned_ = false;
  std::unique_ptr<Link> link_;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Engine> alone_;  // of a driver: PE 0's, for small work. Null: all work is done on all PEs
  std::int64_t small_elements_ = 0;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Connection> connection_;  // of a driver that survives deaths
  std::unique_ptr<Protection> protection_;  // likewise
  std::unique_ptr<Snapshots> snapshots_;  // of an SPMD session that survives deaths
  ProgressCallback progress_;
  std::unique_ptr<Whereabouts> whereabouts_;  // of an SPMD session
  Locator locator_;
  bool lost_ = false;  // the PEs have diverged
  bool checks_ = false;  // ATOLL_SPMD_CHECK
  std::string diverged_;  // how the PEs of an SPMD session diverged first, as its error says
  std::uint64_t numbered_ = 0;  // arrays so far, where it checks
};

}  // namespace atl::array
