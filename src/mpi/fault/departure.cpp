// SPDX-License-Identifier: Apache-2.0
#include "fault/departure.hpp"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "atoll/fabric/job.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "comm/live.hpp"
#include "core/library.hpp"
#include "flow/departure.hpp"

namespace atl::mpi {
namespace {

// Calls on one communicator are numbered, and a member that has left one call takes part in no later one. All other
// calls have unique match bits.
struct Service {
  std::mutex mutex;
  runtime::HandlerId handler{};
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t>
      calls;  // (match bits without call number, PE) -> first call that the PE has left
  std::set<std::pair<std::uint64_t, std::uint32_t>> named;
  std::atomic<bool> any{false};
};
Service& service() {
  static auto& one = *new Service;
  return one;
}

bool is_numbered(std::uint64_t bits) { return talk_of(bits) == Talk::library; }
// Partitioned messages have a channel number instead of a call number.
bool is_partitioned(std::uint64_t bits) {
  return talk_of(bits) == Talk::partitioned || (is_numbered(bits) && (bits & Comm::partitioned_bit) != 0);
}
std::uint64_t without_call(std::uint64_t bits) { return bits & ~tag_mask; }

void note(PeId pe, std::uint64_t bits) {
  std::lock_guard lock(service().mutex);
  if (is_numbered(bits)) {
    auto [first, made] = service().calls.try_emplace({without_call(bits), pe.value()}, bits);
    if (!made && bits < first->second) first->second = bits;
  } else {
    service().named.insert({bits, pe.value()});
  }
  service().any.store(true, std::memory_order_relaxed);
}

// The next check() ends pending operations.
void hear(runtime::Context&, PeId source, std::span<const std::byte> payload) {
  std::uint64_t bits;
  std::memcpy(&bits, payload.data(), sizeof(bits));
  note(source, bits);
  library().failures().note_news();
}

void tell(std::uint64_t bits) {
  if (is_partitioned(bits)) return;
  std::vector<PeId> members;
  for_each_comm([&](Comm& comm) {
    if (!comm.owns(bits)) return;
    if (is_numbered(bits) && !comm.note_departure(static_cast<std::uint32_t>(bits & tag_mask))) return;
    members = comm.everybody();
  });
  for (PeId pe : members)
    if (pe != library().pe() && !library().job().has_died(pe))
      library().messenger().send(pe, service().handler, std::as_bytes(std::span(&bits, 1)));
}

[[maybe_unused]] const bool added =
    (add_service([] { service().handler = library().messenger().register_handler(hear); }), tell_departures_by(tell),
     true);

}  // namespace

bool any_departed() { return service().any.load(std::memory_order_relaxed); }

bool has_departed(PeId pe, std::uint64_t bits) {
  if (!any_departed() || is_partitioned(bits)) return false;
  std::lock_guard lock(service().mutex);
  if (!is_numbered(bits)) return service().named.contains({bits, pe.value()});
  auto first = service().calls.find({without_call(bits), pe.value()});
  return first != service().calls.end() && first->second <= bits;
}

}  // namespace atl::mpi
