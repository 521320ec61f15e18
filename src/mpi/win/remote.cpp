// SPDX-License-Identifier: Apache-2.0
#include "win/remote.hpp"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <unordered_map>

#include "atoll/fabric/job.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "core/staging.hpp"
#include "datatype/wire.hpp"
#include "mpi-ext.h"
#include "win/combine.hpp"

namespace atl::mpi::win {
namespace {

/// Header of an order; layout and data follow.
///
/// | bytes   | what                                                                               |
/// |---------|------------------------------------------------------------------------------------|
/// | 0 to 7  | window: its key                                                                    |
/// | 8 to 15 | id: chosen by the origin                                                           |
/// | 16 to 23 | address of the region                                                             |
/// | 24 to 39 | begin and end of the accessed span                                                |
/// | 40 to 55 | count and extent of the region                                                    |
/// | 56 to 59 | layout_bytes                                                                      |
/// | 60 to 65 | order, code and element: operation, reduction, predefined type of the elements    |
/// | 66 to 71 | zeros                                                                             |
///
/// Valid when `layout_bytes` hold a layout of write_layout(), and exactly the data that the order needs follow.
struct OrderHeader {
  std::uint64_t window;
  std::uint64_t id;
  std::uint64_t address;
  std::uint64_t begin, end;
  Count count, extent;
  std::uint32_t layout_bytes;
  Order order;
  op::Code code;
  std::uint16_t element;  ///< constant of its type
  std::uint16_t padding[3];
};
static_assert(sizeof(OrderHeader) == 72);

/// Header of an answer; the requested elements follow, packed.
///
/// | bytes    | what                                                                        |
/// |----------|-----------------------------------------------------------------------------|
/// | 0 to 7   | window: its key, as in the order                                            |
/// | 8 to 15  | id, as in the order                                                         |
/// | 16 to 19 | error: MPI_SUCCESS, or the error class; then nothing follows                 |
/// | 20 to 23 | zeros                                                                       |
struct AnswerHeader {
  std::uint64_t window, id;
  std::int32_t error;
  std::uint32_t padding;
};
static_assert(sizeof(AnswerHeader) == 24);

struct Service {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Window*> windows;
  std::unordered_map<std::uint64_t, Answer> answers;
  std::uint64_t next = 1;
  runtime::HandlerId orders{}, replies{};
};
Service& service() {
  static auto& all = *new Service;
  return all;
}

constinit thread_local Apart* apart = nullptr;

Window* window_of(std::uint64_t key) {
  std::lock_guard lock(service().mutex);
  auto found = service().windows.find(key);
  return found == service().windows.end() ? nullptr : found->second;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// Carries out an order in a device's memory of this process. Orders alone change it: one at a time is atomic.
void carry_out_on_device(const OrderHeader& header, const datatype::Region& region, std::byte* base,
                         const std::byte* data, std::vector<std::byte>& result) {
  static auto& one_at_a_time = *new std::mutex;
  std::lock_guard lock(one_at_a_time);
  if (header.order == Order::put) {
    staging::unpack(region, base, 0, region.size(), data);
    return staging::settle(region, base);
  }
  staging::pack(region, base, 0, region.size(), result.data());
  if (header.order == Order::get) return;
  const std::size_t size = result.size();
  std::vector<std::byte> changed = result;
  if (header.order == Order::compare_and_swap) {
    if (std::memcmp(result.data(), data + size, size) != 0) return;
    std::memcpy(changed.data(), data, size);
  } else {
    if (header.code == op::Code::no_op) return;
    const Combine how = make_combine(header.code, *datatype::named(header.element));
    combine_locked(how.code, how.reduction, changed.data(), data, nullptr, size / how.reduction.element_bytes());
  }
  staging::unpack(region, base, 0, region.size(), changed.data());
  staging::settle(region, base);
}

/// Carries out an order in this process's memory. `result` gets the data of the answer.
void carry_out(Window& window, const OrderHeader& header, std::span<const std::byte> rest,
               std::vector<std::byte>& result) {
  std::span<const std::byte> layout_bytes = rest.first(header.layout_bytes);
  datatype::NodePtr layout = datatype::read_layout(layout_bytes);
  const std::byte* data = rest.data() + header.layout_bytes;
  datatype::Region region{layout.get(), header.extent, header.count};
  auto* base = reinterpret_cast<std::byte*>(header.address);
  Target& mine = window.target(window.comm().rank());
  bool in_segment = mine.in_segment;
  if (window.flavor() == Window::Flavor::dynamic) {
    ATOLL_MPI_REQUIRE(mine.covers(header.address, region, header.begin, header.end), MPI_ERR_RMA_RANGE,
                      "memory that is not attached");
    in_segment = lies_in_segment(mine, header.begin, header.end);
  }
  auto size = static_cast<std::size_t>(region.size());
  if (header.order != Order::put) result.resize(size);
  if (staging::is_on_device(region, base)) return carry_out_on_device(header, region, base, data, result);
  switch (header.order) {
    case Order::put: datatype::unpack(region, base, 0, region.size(), data); return;
    case Order::get: datatype::pack(region, base, 0, region.size(), result.data()); return;
    case Order::accumulate: {
      Combine how = make_combine(header.code, *datatype::named(header.element));
      return combine(how, *mine.here, in_segment, base, region, data, result.data());
    }
    case Order::compare_and_swap:
      return compare_and_swap(*mine.here, in_segment, base, data + size, data, result.data(), size);
  }
}

/// Runs inside any call of this rank that waits, so errors go to the origin only.
void hear_order(runtime::Context&, PeId source, std::span<const std::byte> payload) {
  OrderHeader header;
  std::memcpy(&header, payload.data(), sizeof header);
  std::vector<std::byte> result;
  AnswerHeader answer{header.window, header.id, MPI_SUCCESS, 0};
  try {
    Window* window = window_of(header.window);
    ATOLL_MPI_REQUIRE(window != nullptr, MPI_ERR_WIN, "no such window");
    carry_out(*window, header, payload.subspan(sizeof header), result);
  } catch (...) {
    answer.error = current_failure().code;
    result.clear();
  }
  library().messenger().send(source, service().replies, bytes_of(answer), result);
}

void hear_answer(runtime::Context&, PeId source, std::span<const std::byte> payload) {
  AnswerHeader header;
  std::memcpy(&header, payload.data(), sizeof header);
  Answer answer;
  Window* window;
  {
    std::lock_guard lock(service().mutex);
    auto found = service().answers.find(header.id);
    answer = std::move(found->second);
    service().answers.erase(found);
    window = service().windows[header.window];
  }
  auto data = payload.subspan(sizeof header);
  if (answer.type != nullptr && !data.empty()) {
    datatype::Region region = answer.type->region(answer.count);
    try {
      if (staging::is_on_device(region, answer.base)) {
        staging::unpack(region, answer.base, 0, region.size(), data.data());
        staging::settle(region, answer.base);
      } else {
        datatype::unpack(region, answer.base, 0, region.size(), data.data());
      }
    } catch (...) { header.error = current_failure().code; }
  }
  if (header.error != MPI_SUCCESS) {
    auto& refused = answer.apart ? answer.apart->refused : window->refused;
    refused.store({window->comm().rank_of(source), header.error}, std::memory_order_relaxed);
  }
  // Both releases publish the unpacked data; partners: Answered::poll() and wait_for_answers().
  if (answer.apart) answer.apart->left.fetch_sub(1, std::memory_order_release);
  window->pending.fetch_sub(1, std::memory_order_release);
}

[[maybe_unused]] const bool added = (add_service([] {
                                       service().orders = library().messenger().register_handler(hear_order);
                                       service().replies = library().messenger().register_handler(hear_answer);
                                     }),
                                     true);

}  // namespace

Apart::Apart() { apart = this; }
Apart::~Apart() { apart = nullptr; }
Apart* Apart::current() { return apart; }
const std::shared_ptr<Answers>& Apart::expect_one() {
  if (!answers_) answers_ = std::make_shared<Answers>();
  answers_->left.fetch_add(1, std::memory_order_relaxed);
  return answers_;
}

void announce(Window& window) {
  std::lock_guard lock(service().mutex);
  service().windows[window.key()] = &window;
}

void forget(Window& window) {
  std::lock_guard lock(service().mutex);
  service().windows.erase(window.key());
}

void send_order(Window& window, const Spot& spot, Order order, const datatype::Region& region,
                std::span<const std::byte> data, op::Code code, const datatype::Type* element, const Answer& answer) {
  std::vector<std::byte> message(sizeof(OrderHeader));
  datatype::write_layout(*region.layout, message);
  OrderHeader header{
      window.key(),
      0,
      spot.address,
      spot.begin,
      spot.end,
      region.count,
      region.extent,
      static_cast<std::uint32_t>(message.size() - sizeof(OrderHeader)),
      order,
      code,
      element == nullptr || element->element() == nullptr ? std::uint16_t{0} : element->element()->handle,
      {}};
  {
    std::lock_guard lock(service().mutex);
    header.id = service().next++;
    Answer& kept = service().answers[header.id] = answer;
    if (apart != nullptr) kept.apart = apart->expect_one();
  }
  window.pending.fetch_add(1, std::memory_order_relaxed);
  std::memcpy(message.data(), &header, sizeof header);
  library().messenger().send(window.comm().pe_of(spot.rank), service().orders, message, data);
}

void wait_for_answers(Window& window) {
  if (window.pending.load(std::memory_order_acquire) != 0)  // partner: hear_answer()
    library().progress().wait([&] {
      if (window.pending.load(std::memory_order_acquire) == 0) return true;
      window.comm().check_usable();  // the answering rank may have failed
      return false;
    });
}

void check_answers(Window& window) {
  if (window.refused.load(std::memory_order_relaxed).rank < 0) [[likely]]
    return;
  check_refusal(window, window.refused.exchange({}, std::memory_order_relaxed));
}

void check_refusal(Window& window, const Refusal& refusal) {
  if (refusal.rank < 0) [[likely]]
    return;
  if (refusal.error == MPIX_ERR_PROC_FAILED)
    fail_with(refusal.error,
              fmt::format("{} has died or left the job: its part of the window cannot be reached",
                          library().job().describe(window.comm().pe_of(refusal.rank))),
              &window);
  const bool outside = refusal.error == MPI_ERR_RMA_RANGE;
  fail_with(
      refusal.error,
      outside ? fmt::format("rank {} has attached no memory to the window where this one has accessed it", refusal.rank)
              : fmt::format("rank {} could not carry out an access of this one", refusal.rank),
      &window);
}

}  // namespace atl::mpi::win
