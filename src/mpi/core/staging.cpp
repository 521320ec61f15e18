// SPDX-License-Identifier: Apache-2.0
#include "core/staging.hpp"

#include <algorithm>
#include <optional>

#include "atoll/device/staging.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "core/failure.hpp"
#include "core/library.hpp"
#include "datatype/cursor.hpp"

namespace atl::mpi::staging {
namespace {

device::Staging staged([](std::size_t bytes) { return library().memory().heap().allocate(bytes); },
                       [](void* memory) { library().memory().heap().release(memory); });
[[maybe_unused]] const bool ends = (add_end([] { staged.end(); }), true);

// The first piece of the region that is on a device; nullopt: all of it is the host's.
std::optional<device::Pointer> device_pointer(const Region& region, const void* base) {
  if (region.size() == 0) return std::nullopt;
  const auto at = [&](Count offset) { return reinterpret_cast<const void*>(reinterpret_cast<Count>(base) + offset); };
  if (auto pointer = device::Staging::find(at(region.layout->true_lb))) return pointer;
  if (base != nullptr) return std::nullopt;
  datatype::Cursor cursor(region);
  for (Count left = region.size(); left > 0;) {
    if (auto pointer = device::Staging::find(at(cursor.here().offset))) return pointer;
    const Count bytes = std::min(left, cursor.here().bytes);
    cursor.advance(bytes), left -= bytes;
  }
  return std::nullopt;
}

device::Pointer need_pointer(const Region& region, const void* base) {
  auto pointer = device_pointer(region, base);
  ATOLL_MPI_REQUIRE(pointer.has_value(), MPI_ERR_BUFFER,
                    "a buffer of {} bytes at {} was cuda:device memory, and is no longer. Has it been freed before "
                    "the message was complete?",
                    region.size(), base);
  return *pointer;
}

class Reading final : public datatype::Mover {
 public:
  explicit Reading(device::Stager::Reader& reader) : reader_(reader) {}
  void block(std::byte* user, std::byte*, Count bytes) override {
    reader_.block(user, static_cast<std::size_t>(bytes));
  }
  void rows(std::byte* user, Count stride, std::byte*, Count count, Count bytes) override {
    reader_.rows(user, stride, static_cast<std::size_t>(count), static_cast<std::size_t>(bytes));
  }

 private:
  device::Stager::Reader& reader_;
};

class Writing final : public datatype::Mover {
 public:
  explicit Writing(device::Stager::Writer& writer) : writer_(writer) {}
  void block(std::byte* user, std::byte* packed, Count bytes) override {
    writer_.block(user, packed, static_cast<std::size_t>(bytes));
  }
  void rows(std::byte* user, Count stride, std::byte* packed, Count count, Count bytes) override {
    writer_.rows(user, stride, packed, static_cast<std::size_t>(count), static_cast<std::size_t>(bytes));
  }

 private:
  device::Stager::Writer& writer_;
};

}  // namespace

namespace detail {
bool is_on_device(const void* address) { return device::Staging::find(address).has_value(); }
bool is_on_device(const Region& region, const void* base) { return device_pointer(region, base).has_value(); }
}  // namespace detail

void pack(const Region& region, const void* base, Count from, Count to, void* packed) {
  if (from >= to) return;
  device::Stager::Reader reader(staged.stager(), need_pointer(region, base), static_cast<std::byte*>(packed));
  Reading moves(reader);
  datatype::move_with(moves, region, const_cast<void*>(base), from, to, static_cast<std::byte*>(packed));
  reader.finish();
}

void unpack(const Region& region, void* base, Count from, Count to, const void* packed) {
  if (from >= to) return;
  device::Stager::Writer writer(staged.stager(), need_pointer(region, base));
  Writing moves(writer);
  datatype::move_with(moves, region, base, from, to, static_cast<std::byte*>(const_cast<void*>(packed)));
  writer.finish();
}

void settle(const Region& region, const void* base) {
  if (region.size() != 0) staged.stager().settle(need_pointer(region, base));
}

void read(void* to, const void* from, std::size_t bytes) { staged.read(to, *device::Staging::find(from), from, bytes); }

void write(void* to, const void* from, std::size_t bytes) { staged.write(*device::Staging::find(to), to, from, bytes); }

}  // namespace atl::mpi::staging
