// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/process.hpp"

#include <unistd.h>

#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/guests.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/static_data.hpp"

namespace atl::runtime {
namespace {

ProcessSlot own_slot;
ProcessSlot* place = &own_slot;

// Libraries that are loaded later bring global data, too.
constexpr std::uint64_t more_static_bytes = std::uint64_t{64} << 20;

// Alone a PE needs no launcher, but pages that can be mapped twice for OpenSHMEM's global data.
const Membership& membership() {
  static const ProcessSeat seat(
      [] { return Membership{fabric::Job::create_shm({.npes = 1, .guests = usual_guests}), PeId(0)}; });
  return seat.membership();
}

}  // namespace

void share_process(ProcessSlot& slot, Deaths deaths) {
  place = &slot;
  set_deaths_here(deaths);
}

ContextOptions with_static_area(ContextOptions options, const fabric::Job& job) {
  if (options.static_bytes != 0) return options;
  // In a small segment only a program that needs it gets it.
  std::uint64_t bytes = StaticData::bytes_needed() + more_static_bytes;
  if (bytes <= job.segment_bytes() / 8) options.static_bytes = bytes;
  return options;
}

std::shared_ptr<Context> open_process(const ContextOptions& wishes) {
  std::lock_guard lock(place->mutex);
  if (place->layout == 0) place->layout = sizeof(Context);
  ATOLL_VALIDATE(place->layout == sizeof(Context), SetupError,
                 "two versions of Atoll are in this process: use MPI, OpenSHMEM and the Python package of one");
  if (place->context == nullptr) place->context = new std::weak_ptr<Context>;
  if (auto open = place->context->lock()) return open;
  if (place->membership == nullptr) place->membership = &membership();
  auto made = std::make_shared<Context>(place->membership->job, place->membership->pe,
                                        with_static_area(wishes, *place->membership->job));
  *place->context = made;
  place->owner = ::getpid();
  return made;
}

GuestDesk* guest_desk() {
  std::lock_guard lock(place->mutex);
  const bool there = place->membership != nullptr && place->membership->bootstrap != nullptr;
  return there ? place->membership->bootstrap->guests() : nullptr;
}

const Membership& process_membership() {
  std::lock_guard lock(place->mutex);
  if (place->membership == nullptr) place->membership = &membership();
  return *place->membership;
}

std::shared_ptr<Context> process_if_open() {
  std::lock_guard lock(place->mutex);
  if (place->context == nullptr || place->layout != sizeof(Context) || place->owner != ::getpid()) return nullptr;
  return place->context->lock();
}

}  // namespace atl::runtime
