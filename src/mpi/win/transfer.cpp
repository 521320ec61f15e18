// SPDX-License-Identifier: Apache-2.0
#include "win/transfer.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/staging.hpp"
#include "op/operation.hpp"
#include "request/request.hpp"
#include "type/plain.hpp"
#include "type/type.hpp"
#include "win/combine.hpp"
#include "win/deferred.hpp"
#include "win/foreign.hpp"
#include "win/origin.hpp"
#include "win/queued.hpp"
#include "win/reach.hpp"
#include "win/remote.hpp"

namespace atl::mpi {
namespace {

using datatype::Region;
using datatype::Type;
using win::Answer;
using win::Combine;
using win::CombineLock;
using win::Count;
using win::Order;
using win::Sink;
using win::Source;
using win::Spot;
using win::Target;

/// Origin and target of a transfer.
struct Ends {
  Region origin, target;
  Spot spot;
};

Region region_of(MPI_Datatype handle, MPI_Count count) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "count is {}", count);
  return need_committed_type(handle).region(count);
}

Spot spot_of(Window& window, Target& target, int rank, MPI_Aint disp, const Type& type, MPI_Count count) {
  const auto [low, high] = type.span(count);
  return win::find_spot(window, target, rank, disp, type.region(count), low, high);
}

Ends ends_of(Window& window, Target& target, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp,
             MPI_Count target_count, MPI_Datatype target_type) {
  Ends ends{region_of(type, count), region_of(target_type, target_count), {}};
  ATOLL_MPI_REQUIRE(ends.origin.size() == ends.target.size(), MPI_ERR_TRUNCATE, "{} bytes here, {} at rank {}",
                    ends.origin.size(), ends.target.size(), rank);
  ends.spot = spot_of(window, target, rank, disp, need_type(target_type), target_count);
  return ends;
}

constexpr op::Code no_code = op::Code::no_op;

/// How the access is carried out: by the network, by the network once it is known what the target has attached, or by
/// an order to the target, which checks that all pieces of the region are attached.
enum class Means { network, deferred, order };

Means means_of(Window& window, const Spot& spot, const Region& region) {
  if (spot.near() || !spot.in_segment || !region.contiguous()) return Means::order;
  if (window.flavor() != Window::Flavor::dynamic) return Means::network;
  if (win::Apart::current() != nullptr) return Means::order;  // its request is complete when it is answered
  if (window.deferred != nullptr) return Means::deferred;
  win::Attached shown;
  library().one_sided().get(&shown, window.comm().pe_of(spot.rank),
                            HeapOffset(spot.target->control + sizeof(win::Control)), sizeof(shown));
  std::uint32_t row = 0;
  return shown.covers(spot.address, region, spot.begin, spot.end, row) ? Means::network : Means::order;
}

/// Fast path for one element of a predefined type in mapped memory with an open epoch: its address, or null to take the
/// general path. 25 instructions instead of 300 for programs that transfer single words.
inline std::byte* quick_spot(Window& window, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count count,
                             std::size_t& bytes) {
  if (static_cast<std::uint64_t>(count) > 4096) return nullptr;
  bytes = plain_size(type) * static_cast<std::size_t>(count);
  Target* target = window.quick_target(rank);
  if (target == nullptr || bytes == 0) return nullptr;
  Count at;
  if (__builtin_mul_overflow(disp, target->unit, &at) || at < 0 || at > target->size - static_cast<Count>(bytes))
    return nullptr;
  return target->mapped + at;
}

inline void quick_copy(std::byte* to, const void* from, std::size_t bytes) {
  if (bytes == 8) std::memcpy(to, from, 8);
  else if (bytes == 4) std::memcpy(to, from, 4);
  else std::memcpy(to, from, bytes);
}

/// Whether a single atomic instruction of the processor carries out the operation.
inline bool is_instruction(op::Code code, datatype::Number number) {
  using datatype::Number;
  if (code == op::Code::replace || code == op::Code::no_op) return number != Number::pair;
  bool integer = number == Number::integer || number == Number::natural;
  return integer &&
         (code == op::Code::sum || code == op::Code::band || code == op::Code::bor || code == op::Code::bxor);
}

}  // namespace

void win_put(const void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count,
             MPI_Datatype target_type, MPI_Win win) {
  auto& window = need<Window>(win);
  std::size_t bytes;
  if (type == target_type && count == target_count && !detail::nowhere(origin) && !device::may_be_loaded()) [[likely]]
    if (std::byte* to = quick_spot(window, type, rank, disp, count, bytes)) return quick_copy(to, origin, bytes);
  Target* target = window.need_target(rank);
  if (target == nullptr) return;
  Ends ends = ends_of(window, *target, count, type, rank, disp, target_count, target_type);
  const Spot& spot = ends.spot;
  detail::check_buffer(ends.origin, origin);
  if (spot.pointer != nullptr) {
    if (!staging::is_on_device(ends.origin, origin))
      datatype::copy(ends.origin, origin, 0, ends.origin.size(), ends.target, spot.pointer, 0);
    else datatype::unpack(ends.target, spot.pointer, 0, ends.target.size(), Source(ends.origin, origin).data());
    return;
  }
  Source data(ends.origin, origin);
  if (spot.near() && win::write_foreign(static_cast<pid_t>(target->pid), spot.address, ends.target, data.data()))
    return;
  const Means means = means_of(window, spot, ends.target);
  if (means == Means::deferred)
    return window.deferred->add(window, {spot, ends.target, share_type(target_type), std::move(data), {}, {}});
  if (means == Means::network) {
    HeapOffset to(spot.offset().value() + static_cast<std::uint64_t>(ends.target.layout->offset));
    if (window.network != nullptr) return win::queue_put(window, rank, to, std::move(data));
    return library().one_sided().put(window.comm().pe_of(rank), to, data.data(), data.span().size());
  }
  win::send_order(window, spot, Order::put, ends.target, data.span(), no_code, nullptr, {});
}

void win_get(void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count,
             MPI_Datatype target_type, MPI_Win win) {
  auto& window = need<Window>(win);
  std::size_t bytes;
  if (type == target_type && count == target_count && !detail::nowhere(origin) && !device::may_be_loaded()) [[likely]]
    if (const std::byte* from = quick_spot(window, type, rank, disp, count, bytes))
      return quick_copy(static_cast<std::byte*>(origin), from, bytes);
  Target* target = window.need_target(rank);
  if (target == nullptr) return;
  Ends ends = ends_of(window, *target, count, type, rank, disp, target_count, target_type);
  const Spot& spot = ends.spot;
  detail::check_buffer(ends.origin, origin);
  if (spot.pointer != nullptr && !staging::is_on_device(ends.origin, origin)) {
    datatype::copy(ends.target, spot.pointer, 0, ends.target.size(), ends.origin, origin, 0);
    return;
  }
  Sink data(ends.origin, origin);
  if (spot.pointer != nullptr) {
    datatype::pack(ends.target, spot.pointer, 0, ends.target.size(), data.data());
    return data.finish();
  }
  if (spot.near() && win::read_foreign(static_cast<pid_t>(target->pid), spot.address, ends.target, data.data()))
    return data.finish();
  const Means means = means_of(window, spot, ends.target);
  Answer answer{share_type(type), count, origin};
  if (means == Means::deferred)
    return window.deferred->add(window,
                                {spot, ends.target, share_type(target_type), {}, std::move(data), std::move(answer)});
  if (means == Means::network) {
    HeapOffset from(spot.offset().value() + static_cast<std::uint64_t>(ends.target.layout->offset));
    if (window.network != nullptr) return win::queue_get(window, rank, from, std::move(data), std::move(answer.type));
    library().one_sided().get(data.data(), window.comm().pe_of(rank), from,
                              static_cast<std::size_t>(ends.target.size()));
    return data.finish();
  }
  win::send_order(window, spot, Order::get, ends.target, {}, no_code, nullptr, answer);
}

namespace {

/// Arguments of a call of the accumulate family. `result` is absent for MPI_Accumulate.
struct Accumulation {
  Window& window;
  Spot spot;
  Region target;
  Combine how;
};

/// Returns false when an order was sent to the target, whose answer brings the old values.
bool accumulate(const Accumulation& one, const std::byte* origin, std::byte* fetched, const Answer& answer) {
  Target& target = *one.spot.target;
  if (one.spot.pointer != nullptr) {
    win::combine(one.how, *target.here, one.spot.in_segment, one.spot.pointer, one.target, origin, fetched);
    return true;
  }
  auto size = static_cast<std::size_t>(one.target.size());
  if (one.spot.near() && !one.spot.in_segment && target.here != nullptr) {
    auto packed = std::make_unique_for_overwrite<std::byte[]>(size);
    CombineLock lock(*target.here);
    auto pid = static_cast<pid_t>(target.pid);
    if (win::read_foreign(pid, one.spot.address, one.target, packed.get())) {
      win::combine_locked(one.how.code, one.how.reduction, packed.get(), origin, fetched,
                          size / one.how.reduction.element_bytes());
      if (one.how.code == op::Code::no_op || win::write_foreign(pid, one.spot.address, one.target, packed.get()))
        return true;
    }
  }
  std::vector<std::byte> zeros(origin == nullptr ? size : 0);
  win::send_order(one.window, one.spot, Order::accumulate, one.target,
                  origin == nullptr ? zeros : std::span(origin, size), one.how.code, one.how.element, answer);
  return false;
}

const Type& need_element(MPI_Datatype handle) {
  const Type* element = win::element_of(need_committed_type(handle));
  ATOLL_MPI_REQUIRE(element != nullptr, MPI_ERR_TYPE, "a datatype to accumulate is made of several predefined ones");
  return *element;
}

/// Throws Failure when origin and target elements are of different predefined types.
void check_elements(op::Code code, MPI_Datatype origin, MPI_Datatype target) {
  if (origin == target || code == op::Code::replace || code == op::Code::no_op) return;
  const datatype::Predefined &given = *need_element(origin).element(), &there = *need_element(target).element();
  using datatype::Number;
  auto is_whole = [](Number number) { return number == Number::integer || number == Number::natural; };
  const bool alike = given.number == there.number || (is_whole(given.number) && is_whole(there.number));
  ATOLL_MPI_REQUIRE(alike && given.size == there.size, MPI_ERR_TYPE, "elements of {} are accumulated into {}",
                    given.name, there.name);
}

op::Code code_of(MPI_Op handle) {
  const auto& operation = need<Operation>(handle);
  ATOLL_MPI_REQUIRE(!operation.is_user(), MPI_ERR_OP, "windows accumulate by predefined operations only");
  return operation.code();
}

}  // namespace

void win_accumulate(const void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp,
                    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  auto& window = need<Window>(win);
  Target* target = window.need_target(rank);
  if (target == nullptr) return;
  Ends ends = ends_of(window, *target, count, type, rank, disp, target_count, target_type);
  op::Code code = code_of(op);
  if (ends.target.size() == 0 || code == op::Code::no_op) return;
  check_elements(code, type, target_type);
  Accumulation one{window, ends.spot, ends.target, win::make_combine(code, need_element(target_type))};
  (void)accumulate(one, Source(ends.origin, origin).data(), nullptr, {});
}

void win_get_accumulate(const void* origin, MPI_Count count, MPI_Datatype type, void* result, MPI_Count result_count,
                        MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  auto& window = need<Window>(win);
  Target* target = window.need_target(rank);
  if (target == nullptr) return;
  op::Code code = code_of(op);
  // MPI_NO_OP ignores the origin arguments.
  if (code == op::Code::no_op) count = target_count, type = target_type;
  Ends ends = ends_of(window, *target, count, type, rank, disp, target_count, target_type);
  Region into = region_of(result_type, result_count);
  ATOLL_MPI_REQUIRE(into.size() == ends.target.size(), MPI_ERR_TRUNCATE, "{} bytes for a result of {}", into.size(),
                    ends.target.size());
  if (ends.target.size() == 0) return;
  check_elements(code, type, target_type);
  Accumulation one{window, ends.spot, ends.target, win::make_combine(code, need_element(target_type))};
  Sink fetched(into, result);
  std::optional<Source> data;
  if (code != op::Code::no_op) data.emplace(ends.origin, origin);
  if (accumulate(one, data ? data->data() : nullptr, fetched.data(),
                 Answer{share_type(result_type), result_count, result}))
    fetched.finish();
}

void win_fetch_and_op(const void* origin, void* result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op,
                      MPI_Win win) {
  auto& window = need<Window>(win);
  op::Code code = code_of(op);
  std::size_t bytes;
  if (std::byte* word = device::may_be_loaded() ? nullptr : quick_spot(window, type, rank, disp, 1, bytes);
      word != nullptr && window.target(rank).in_segment) {
    const datatype::Predefined& element = *find<TypeObject>(type)->type()->element();
    win::Atomic atomic = is_instruction(code, element.number) ? win::atomic_of(code, element) : nullptr;
    if (atomic != nullptr && reinterpret_cast<std::uintptr_t>(word) % bytes == 0)
      return atomic(word, static_cast<const std::byte*>(origin), static_cast<std::byte*>(result), 1, nullptr);
  }
  win_get_accumulate(origin, 1, type, result, 1, type, rank, disp, 1, type, op, win);
}

void win_compare_and_swap(const void* origin, const void* compare, void* result, MPI_Datatype type, int rank,
                          MPI_Aint disp, MPI_Win win) {
  auto& window = need<Window>(win);
  Target* target = window.need_target(rank);
  if (target == nullptr) return;
  const Type& element = need_committed_type(type);
  const datatype::Predefined* one = element.element();
  using datatype::Number;
  ATOLL_MPI_REQUIRE(
      one != nullptr && one->number != Number::real && one->number != Number::complex && one->number != Number::pair,
      MPI_ERR_TYPE, "integers, logicals and bytes can be compared and swapped");
  Spot spot = spot_of(window, *target, rank, disp, element, 1);
  std::size_t size = one->size;
  // Words of the program's that are a device's: copies of them.
  std::array<std::byte, 16> origin_copy, compare_copy, result_copy;
  if (staging::is_on_device(origin)) staging::read(origin_copy.data(), std::exchange(origin, origin_copy.data()), size);
  if (staging::is_on_device(compare))
    staging::read(compare_copy.data(), std::exchange(compare, compare_copy.data()), size);
  void* const given_result = result;
  if (staging::is_on_device(result)) result = result_copy.data();
  const auto give_result = [&] {
    if (result != given_result) staging::write(given_result, result, size);
  };
  if (spot.pointer != nullptr) {
    win::compare_and_swap(*target->here, spot.in_segment, spot.pointer, compare, origin, result, size);
    return give_result();
  }
  Region region = element.region(1);
  if (spot.near() && !spot.in_segment && target->here != nullptr) {
    CombineLock lock(*target->here);
    auto pid = static_cast<pid_t>(target->pid);
    if (win::read_foreign(pid, spot.address, region, result) &&
        (std::memcmp(result, compare, size) != 0 || win::write_foreign(pid, spot.address, region, origin)))
      return give_result();
  }
  std::vector<std::byte> data(2 * size);
  std::memcpy(data.data(), origin, size);
  std::memcpy(data.data() + size, compare, size);
  win::send_order(window, spot, Order::compare_and_swap, region, data, no_code, &element,
                  Answer{share_type(type), 1, given_result});
}

namespace {

/// Request of an operation that the target carries out: complete when the target has answered.
class Answered : public Request {
 public:
  Answered(Window& window, std::shared_ptr<win::Answers> answers)
      : Request(Life::once), window_(window), answers_(std::move(answers)) {}
  bool poll() override {
    if (is_done()) return true;
    library().failures().check();
    library().progress().note_active();
    library().progress().progress();
    if (is_done()) return true;
    try {
      window_->comm().check_usable();
    } catch (...) {
      error_ = std::current_exception();  // the rank that should answer may have failed
    }
    return is_done();
  }
  void result(MPI_Status* status) override {
    fill_empty(status);
    if (error_) std::rethrow_exception(error_);
    win::check_refusal(*window_, answers_->refused.load(std::memory_order_relaxed));
  }

 private:
  bool is_done() const {
    return error_ || answers_->left.load(std::memory_order_acquire) == 0;
  }  // partner: hear_answer()
  Ref<Window> window_;
  std::shared_ptr<win::Answers> answers_;
  std::exception_ptr error_;
};

}  // namespace

void complete_request(MPI_Win win, MPI_Request* request, const std::function<void()>& operation) {
  ATOLL_MPI_REQUIRE(request != nullptr, MPI_ERR_ARG, "no place for the request");
  auto& window = need<Window>(win);
  win::Apart apart;
  operation();
  if (apart.answers()) give(make<Answered>(window, apart.answers()), request);
  else if (Ref<Request> queued = apart.take_request()) give(std::move(queued), request);
  else *request = handle_of(done_send());
}

}  // namespace atl::mpi
