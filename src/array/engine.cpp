// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/engine.hpp"

#include <mutex>

#include "atoll/array/every_poll.hpp"
#include "atoll/array/kernel/simd_level.hpp"
#include "atoll/array/phase.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/impatience.hpp"

namespace atl::array {
namespace {

/// How an exception travels to other PEs.
enum class ErrorCode : std::uint8_t { none, value, type, index, memory, overflow, interrupted, other };

std::pair<ErrorCode, std::string> describe_current_exception() {
  try {
    throw;
  } catch (const ValueError& e) { return {ErrorCode::value, e.what()}; } catch (const TypeError& e) {
    return {ErrorCode::type, e.what()};
  } catch (const IndexError& e) { return {ErrorCode::index, e.what()}; } catch (const MemoryError& e) {
    return {ErrorCode::memory, e.what()};
  } catch (const OverflowError& e) { return {ErrorCode::overflow, e.what()}; } catch (const Interrupted& e) {
    return {ErrorCode::interrupted, e.what()};
  } catch (const std::exception& e) { return {ErrorCode::other, e.what()}; } catch (...) {
    return {ErrorCode::other, "unknown error"};
  }
}

[[noreturn]] void throw_described(ErrorCode code, const std::string& text) {
  switch (code) {
    case ErrorCode::value: throw ValueError(text);
    case ErrorCode::type: throw TypeError(text);
    case ErrorCode::index: throw IndexError(text);
    case ErrorCode::memory: throw MemoryError(text);
    case ErrorCode::overflow: throw OverflowError(text);
    case ErrorCode::interrupted: throw Interrupted(text);
    default: throw Error(text);
  }
}

constexpr std::int64_t callback_period_ns = 50'000'000;
constexpr std::int64_t look_period_ns = 20'000'000;
/// Under which a PE shows on its board the number of the operation that is to end.
constexpr std::uint64_t stop_key = 0x73746f70'61746f6c;
// At 1 ns for each, the cheapest kernels take 0.25 ms for so many, of which an agreement of PEs of a node (some 5 us)
// is 2 %.
constexpr std::int64_t elements_worth_agreement = std::int64_t{1} << 18;
constexpr std::size_t staging_bytes = std::size_t{1} << 20;

}  // namespace

/// Passes progress on, at most every 50 ms. What the callback throws ends an interruptible kernel where all PEs will be
/// notified of it, and waits for the end of the operation elsewhere.
class Engine::OperationMonitor final : public Monitor {
 public:
  OperationMonitor(Engine& engine, Interruptible interruptible) : engine_(engine), interruptible_(interruptible) {}

  void checkpoint(std::uint64_t done, std::uint64_t total) override {
    const bool may_end = interruptible_ == Interruptible::yes && (engine_.npes_ == 1 || agreements_ > 0);
    if (total != 0) {  // else it is a look for an interrupt, without news
      done_ = done;
      total_ = total;
    }
    try {
      report();
    } catch (...) {
      if (may_end && engine_.npes_ == 1) throw;
      if (!engine_.pending_) engine_.pending_ = std::current_exception();
    }
    if (engine_.npes_ == 1) return;
    if (engine_.pending_) engine_.stop_others();
    if (may_end) end_if_stopped();
  }
  void begin() { done_ = total_ = 0; }

  /// Where an error of one PE becomes that of all.
  void begin_agreement() { ++agreements_; }
  void end_agreement() { --agreements_; }
  void end_if_stopped() {
    if (engine_.is_interrupted()) raise<Interrupted>("interrupted");
  }

  /// Looks for an interrupt; for allocations that take long.
  bool is_to_end() noexcept {
    look_while_waiting();
    return engine_.npes_ == 1 ? engine_.pending_ != nullptr : engine_.is_interrupted();
  }

  /// While this PE waits for others in an operation.
  void look_while_waiting() noexcept {
    if (!engine_.is_running_) return;
    try {
      if (const EveryPoll* polled = engine_.progress_.target<EveryPoll>()) {
        if (polled->while_waiting) polled->while_waiting(engine_.operation_, done_, total_);
      } else {
        report();
      }
    } catch (...) {
      if (!engine_.pending_) engine_.pending_ = std::current_exception();
    }
    if (engine_.pending_ || engine_.has_stopped_others_) engine_.stop_others();
  }

 private:
  void report() {
    if (!engine_.progress_) return;
    const bool always = engine_.progress_.target<EveryPoll>() != nullptr;
    const std::int64_t now = now_ns();
    if (now < engine_.next_callback_ns_ && !always) return;
    engine_.next_callback_ns_ = now + callback_period_ns;
    engine_.reported_ = true;
    engine_.progress_(engine_.operation_, done_, total_);
  }

  Engine& engine_;
  Interruptible interruptible_;
  std::uint64_t done_ = 0, total_ = 0;  // of the running operation, as far as it has said
  int agreements_ = 0;
};

class Engine::Agreement {
 public:
  explicit Agreement(OperationMonitor& monitor) : monitor_(monitor) { monitor_.begin_agreement(); }
  ~Agreement() { monitor_.end_agreement(); }
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

 private:
  OperationMonitor& monitor_;
};

Engine::Engine(std::shared_ptr<runtime::Context> context, unsigned threads, std::int64_t grain)
    : Engine(context, std::make_unique<coll::Communicator>(*context), threads, grain) {}

Engine::Engine(std::shared_ptr<runtime::Context> context, const runtime::Team& team, unsigned threads,
               std::int64_t grain)
    : Engine(context, std::make_unique<coll::Communicator>(*context, team), threads, grain) {}

Engine::Engine(Engine& whole)
    : Engine(whole.context_,
             std::make_unique<coll::Communicator>(*whole.context_,
                                                  runtime::Team::listed({whole.context_->pe()}, whole.context_->pe())),
             1, whole.grain_, &whole) {}

Engine::Engine(std::shared_ptr<runtime::Context> context, std::unique_ptr<coll::Communicator> communicator,
               unsigned threads, std::int64_t grain, Engine* whole)
    : context_(std::move(context)),
      pe_(static_cast<std::uint32_t>(communicator->rank())),
      npes_(static_cast<std::uint32_t>(communicator->size())),
      grain_(grain > 0 ? grain : config::integer(config::Variable::grain)),
      threads_(threads),
      communicator_(std::move(communicator)),
      interruptible_(std::make_unique<OperationMonitor>(*this, Interruptible::yes)),
      uninterruptible_(std::make_unique<OperationMonitor>(*this, Interruptible::no)),
      staging_(npes_ > 1 && context_->job().nodes() > 1 ? Buffer<std::byte>(context_->heap(), staging_bytes)
                                                        : Buffer<std::byte>()),
      activity_(whole != nullptr ? whole->activity_ : own_activity_) {
  if (whole == nullptr) trimmer_.emplace(context_, activity_);
  static std::once_flag limited;
  std::call_once(limited, [] { limit_kernels(simd_level()); });
}

Engine::~Engine() {
  // The communicator still waits for other PEs when it is destroyed, after the monitors.
  if (npes_ > 1) communicator_->set_wait_callback(nullptr);
}

PeId Engine::in_context(std::uint32_t pe) const { return communicator_->pe(static_cast<int>(pe)); }

Memory& Engine::memory() { return context_->heap(); }
runtime::Heap& Engine::heap() { return context_->heap(); }

Work Engine::work(Interruptible interruptible) {
  return Work{threads_, context_->heap(), interruptible == Interruptible::yes ? *interruptible_ : *uninterruptible_};
}

void Engine::begin_operation(const char* name) {
  operation_ = name;
  commands_.fetch_add(1, std::memory_order_relaxed);
  activity_.fetch_add(1, std::memory_order_relaxed);
  interruptible_->begin();
  uninterruptible_->begin();
  next_callback_ns_ = progress_ ? now_ns() + callback_period_ns : 0;
}

void Engine::set_progress(ProgressCallback callback) {
  progress_ = std::move(callback);
  if (npes_ == 1) return;
  communicator_->set_wait_callback(progress_ ? std::function<void()>([this] { interruptible_->look_while_waiting(); })
                                             : nullptr);
}

void Engine::before_agreement(const std::function<void()>& body) {
  const Agreement agreement(*interruptible_);
  body();
}

void Engine::stop_others() {
  if (!std::exchange(has_stopped_others_, true)) context_->show(stop_key, commands());
  if (forward_) forward_();
}

// They are in the same agreement, or come to it.
bool Engine::others_stop() {
  const std::int64_t now = now_ns();
  if (now < next_look_ns_.load(std::memory_order_relaxed) && progress_.target<EveryPoll>() == nullptr) return false;
  next_look_ns_.store(now + look_period_ns, std::memory_order_relaxed);
  for (std::uint32_t pe = 0; pe < npes_; ++pe) {
    const PeId other = in_context(pe);
    if (pe == pe_ || (pe != 0 && !context_->job().is_local(other))) continue;
    if (auto stopped = context_->shown(other, stop_key); stopped && *stopped == commands()) return true;
  }
  return false;
}

bool Engine::is_interrupted() { return npes_ > 1 && (pending_ != nullptr || others_stop()); }

void Engine::take_stop_down() {
  if (std::exchange(has_stopped_others_, false)) context_->take_down(stop_key);
}

void Engine::end_operation() noexcept {
  is_running_ = false;
  take_stop_down();
  if (!std::exchange(reported_, false) || !progress_) return;
  try {
    progress_(operation_, 1, 1);
  } catch (...) {
    if (!pending_) pending_ = std::current_exception();
  }
}

void Engine::rethrow_pending() {
  if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
}

Array Engine::make(DType dtype, const Shape& shape) { return std::move(make({{dtype, shape}}).front()); }

std::vector<Array> Engine::make(const std::vector<std::pair<DType, Shape>>& kinds) {
  std::vector<Array> arrays;
  arrays.reserve(kinds.size());
  together([&] {
    for (const auto& [dtype, shape] : kinds)
      arrays.push_back(allocate(dtype, shape, Distribution(shape, npes_, grain_)));
  });
  return arrays;
}

std::vector<Array> Engine::make_uneven(const std::vector<std::pair<DType, std::int64_t>>& local) {
  std::vector<std::int64_t> mine;
  for (const auto& [dtype, count] : local) mine.push_back(count);
  const auto all = allgather_vector(mine);
  std::vector<Array> arrays;
  together([&] {
    for (std::size_t i = 0; i < local.size(); ++i) {
      std::vector<std::int64_t> counts;
      for (const auto& one : all) counts.push_back(one[i]);
      Distribution distribution = Distribution::of_counts(counts);
      const Shape shape{distribution.rows()};
      arrays.push_back(allocate(local[i].first, shape, std::move(distribution)));
    }
  });
  return arrays;
}

Array Engine::allocate(DType dtype, const Shape& shape, Distribution distribution) {
  auto array = std::make_shared<ArrayData>();
  array->dtype = dtype;
  array->shape = shape;
  array->distribution = std::move(distribution);
  array->pe = pe_;
  std::int64_t total = 0;
  ATOLL_VALIDATE(!__builtin_mul_overflow(shape.size(), static_cast<std::int64_t>(size_of(dtype)), &total), MemoryError,
                 "cannot hold an array of shape {} and dtype {}: its bytes do not fit 63 bits", shape.to_string(),
                 name_of(dtype));
  void* block = context_->heap().allocate(std::max<std::size_t>(array->local_bytes(), 1));
  array->storage.data = static_cast<std::byte*>(block);
  std::shared_ptr<runtime::Heap> heap = context_->lasting_heap();
  if (heap == nullptr) heap = {context_, &context_->heap()};
  array->storage.owner = std::shared_ptr<void>(block, [heap = std::move(heap)](void* p) { heap->release(p); });
  return array;
}

Array Engine::wrap(DType dtype, const Shape& shape, void* data, std::shared_ptr<void> owner) {
  ATOLL_EXPECT(npes_ == 1);
  return std::make_shared<ArrayData>(ArrayData{dtype, shape, Distribution(shape, 1, grain_), 0,
                                               Storage{static_cast<std::byte*>(data), std::move(owner), true}, 0,
                                               nullptr});
}

void Engine::barrier() {
  if (npes_ == 1) return;
  const Phase phase(*this, wait_phase);
  communicator_->barrier();
}

std::vector<std::byte> Engine::allgather(const void* data, std::size_t size) {
  std::vector<std::byte> all(size * npes_);
  if (npes_ == 1) {
    std::memcpy(all.data(), data, size);
    return all;
  }
  const Phase phase(*this, wait_phase);
  communicator_->allgather(data, size, all.data());
  return all;
}

std::vector<std::vector<std::byte>> Engine::allgather_bytes(std::span<const std::byte> mine) {
  std::vector<std::vector<std::byte>> all(npes_);
  if (npes_ == 1) {
    all[0].assign(mine.begin(), mine.end());
    return all;
  }
  const auto sizes = allgather_value<std::uint64_t>(mine.size());
  std::vector<coll::Block> blocks;
  for (std::uint32_t pe = 0; pe < npes_; ++pe) {
    all[pe].resize(sizes[pe]);
    blocks.push_back({all[pe].data(), sizes[pe]});
  }
  const Phase phase(*this, wait_phase);
  communicator_->allgatherv(mine.data(), mine.size(), blocks);
  return all;
}

void Engine::together(const std::function<void()>& body) {
  bool was_stopped = false;
  auto stops = [&] { return was_stopped = interruptible_->is_to_end(); };
  const runtime::Impatience impatience(runtime::Condition::of(stops));
  if (npes_ == 1) {
    body();
    if (was_stopped) rethrow_pending();
    return;
  }
  ErrorCode code = ErrorCode::none;
  std::string text;
  try {
    before_agreement(body);
    interruptible_->end_if_stopped();
  } catch (const PeFailedError&) { throw; } catch (...) {
    std::tie(code, text) = describe_current_exception();
  }
  const auto codes = allgather_value(code);
  take_stop_down();
  const auto failed = std::find_if(codes.begin(), codes.end(), [](ErrorCode c) { return c != ErrorCode::none; });
  if (failed == codes.end()) return;
  const std::string said = communicator_->broadcast_text(text, static_cast<int>(failed - codes.begin()));
  if (*failed == ErrorCode::interrupted && pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
  throw_described(*failed, said);
}

void Engine::interruptibly(std::int64_t elements, const std::function<void()>& body) {
  if (elements / npes_ < elements_worth_agreement) body();
  else together(body);
}

}  // namespace atl::array
