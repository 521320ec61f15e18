// SPDX-License-Identifier: Apache-2.0
// Short schedules that the network carries out by itself, without the host's help, where libfabric's provider has
// triggered work (FI_QUEUE_WORK: cxi, sockets): signals, data that goes on, and data that is combined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::fabric {

class Job;

/// Whether the job's network has it. Alike on all PEs.
bool has_deferred_work(const Job& job);

/// A PE's. It has one value, and channels: of each, one peer that sends along it to here, and one that is sent to along
/// it.
class DeferredWork {
 public:
  static constexpr unsigned most_channels = 64;
  static constexpr std::size_t most_bytes = 4096;
  enum class Channel : std::uint8_t {
    signal,  ///< nothing comes
    value,  ///< what comes becomes the value
    combined,  ///< what comes is combined with the value
  };
  enum class Number : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };
  enum class Operation : std::uint8_t { sum, prod, min, max, bit_and, bit_or, bit_xor };
  struct Step {
    bool sends;  ///< the value, or a signal; else what comes is awaited, and taken as the channel has it
    unsigned channel;
  };
  struct Run {
    std::span<const Step> steps;  ///< each channel at most once each way
    std::size_t bytes = 0;  ///< of the value
    Number number = Number::i8;
    Operation operation = Operation::bit_or;
  };
  /// What partners must know, copied as it is.
  //
  // | offset | bytes | field         | valid when                                        |
  // |--------|-------|---------------|---------------------------------------------------|
  // |   0    |   64  | address       | the first address_bytes                           |
  // |  64    |    4  | address_bytes | always                                            |
  // |  68    |    4  | zero          |                                                   |
  // |  72    | 1024  | landing       | of each channel: where what comes goes, and its key |
  // | 1096   | 1024  | grant         | likewise: where the word is that allows to send   |
  struct Place {
    std::uint64_t base = 0;  ///< as the network counts
    std::uint64_t key = 0;
  };
  struct Card {
    std::array<std::byte, 64> address{};
    std::uint32_t address_bytes = 0;
    std::uint32_t zero = 0;
    std::array<Place, most_channels> landing{};
    std::array<Place, most_channels> grant{};
  };
  static_assert(sizeof(Card) == 2120);

  virtual ~DeferredWork() = default;
  virtual Card card() const = 0;
  /// The PEs that this PE sends to along the channel, and those that send; before the first start() that uses it.
  virtual void connect(unsigned channel, const Card* to, const Card* from) = 0;
  /// most_bytes of memory: set before start(), read when all is done.
  virtual std::byte* value() = 0;
  /// Whether the network can do so with that many at once.
  virtual bool combines(Number number, Operation operation, std::size_t count) const = 0;
  /// Steps begin one after another, sends that follow one another at once. One run at a time. A message waits until
  /// its receiver has called start() for it, but for signals, which are counted.
  virtual void start(const Run& run) = 0;
  /// Does not block, and is not needed for anything to go on.
  virtual bool is_done() = 0;
};

/// Throws SetupError.
std::unique_ptr<DeferredWork> open_deferred_work(Job& job, PeId self, std::span<const DeferredWork::Channel> channels);

}  // namespace atl::fabric
