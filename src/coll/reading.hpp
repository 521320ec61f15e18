// SPDX-License-Identifier: Apache-2.0
// Chooses the transfer of private memory between members of a node: the kernel reads it in one copy, or the sender
// lends chunks, in two copies. The faster one depends on the distance of the two cores, and on whether the sender has
// written the data since the last read: both must be measured. So each receiver tries both, for each member and power
// of two of the length: some messages with one method, some with the other, then many with the faster one, and the
// other again; at once if the kernel has become slower. The minimum of a few times counts, because other work of a core
// only makes them longer; times are per KiB, as lengths differ. Results do not depend on the choice. Two ranks, 64 KiB,
// us, with cores between which a line passes in 110 to 150 ns: allgather 5.6 by the kernel and 9.5 lent, or, written
// before each, 9.4 and 9.0.
//
// The sender offers; the receiver reads, or answers that it wants chunks, and that so many more may come in chunks
// unasked.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace atl::coll::detail {

class Readings {
 public:
  /// Shorter ones are lent unasked.
  static constexpr std::uint64_t least_bytes = std::uint64_t{16} << 10;
  static constexpr std::uint32_t tried = 4;
  /// Messages until the other method is tried again: at first few, as the first use of a method is slower.
  static constexpr std::uint32_t least_period = 16, most_period = 256;
  static constexpr std::uint32_t for_ever = std::numeric_limits<std::uint32_t>::max();
  enum class Method { by_kernel, lent };

  // ---- the receiver

  /// How to get the next one, which is offered.
  Method method(std::uint32_t member, std::uint64_t bytes) {
    Tally& tally = at(member, bytes);
    if (tally.granted) tally.forget(Method::by_kernel);
    if (tally[Method::by_kernel].best == unknown) return Method::by_kernel;
    return tally[Method::lent].best == unknown || !tally.kernel_is_better() ? Method::lent : Method::by_kernel;
  }
  /// Whether to measure it. Most are not, once all is known.
  bool measures(std::uint32_t member, std::uint64_t bytes) {
    const Tally& tally = at(member, bytes);
    return !tally.is_settled() || tally.settled % (8 * tried) < tried;
  }
  /// It has come; so many nanoseconds of both sides' cores were spent on it. 0: not measured.
  void note(std::uint32_t member, std::uint64_t bytes, Method method, std::int64_t ns) {
    Tally& tally = at(member, bytes);
    const bool was_settled = tally.is_settled();
    const double before = tally[method].best;
    if (ns > 0) tally[method].add(static_cast<double>(ns) * 1024 / static_cast<double>(bytes));
    if (!was_settled) return;
    const bool slower = method == Method::by_kernel && tally[method].best > before * 1.25;
    if (slower) tally.period = least_period;
    if (slower || ++tally.settled >= tally.period)
      tally.forget(method == Method::lent ? Method::by_kernel : Method::lent);
  }
  /// With the answer that chunks are wanted: so many more may be lent unasked.
  std::uint32_t unasked(std::uint32_t member, std::uint64_t bytes) {
    Tally& tally = at(member, bytes);
    if (!tally.is_settled()) return tried - 1 - tally[Method::lent].count;
    tally.granted = true;
    return tally.period;
  }

  // ---- the sender

  enum class Sending { lent, lent_and_timed, offered };
  /// Whether sending() would have the next one offered, to a receiver that may come late.
  bool offers_next(std::uint32_t member, std::uint64_t bytes) {
    const Tally& tally = at(member, bytes);
    return tally.unasked == 0 && (!tally.is_settled() || tally.kernel_is_better());
  }
  /// How to send the next one; timed: the receiver wants to know how long the copy took.
  Sending sending(std::uint32_t member, std::uint64_t bytes) {
    if (bytes < least_bytes) return Sending::lent;
    Tally& tally = at(member, bytes);
    if (tally.unasked == for_ever) return Sending::lent;
    if (tally.unasked != 0) return --tally.unasked < tried ? Sending::lent_and_timed : Sending::lent;
    if (offers_next(member, bytes)) return Sending::offered;
    // In an exchange where one is lent and one is read each waits for the other, so it takes two that would read.
    if (++tally.settled >= tally.period) tally.forget(Method::by_kernel);
    return Sending::lent;
  }
  /// The answer to an offer.
  void learn_unasked(std::uint32_t member, std::uint64_t bytes, std::uint32_t count) {
    at(member, bytes).unasked = count;
  }

 private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  struct Figure {
    // Nanoseconds per KiB.
    double best = unknown;  // of a few in a row
    double next = unknown;  // of those after them
    std::uint32_t count = 0;  // of these
    void add(double figure) {
      next = std::min(next, figure);
      if (++count < tried) return;
      *this = {.best = next};
    }
  };
  struct Tally {
    std::array<Figure, 2> figures;
    std::uint32_t settled = 0;  // messages since both figures are known
    std::uint32_t period = least_period;
    bool granted = false;  // the next offer comes after buffers that were lent eagerly
    std::uint32_t unasked = 0;  // of the other direction: messages that may yet be lent
    Figure& operator[](Method method) { return figures[static_cast<std::size_t>(method)]; }
    const Figure& operator[](Method method) const { return figures[static_cast<std::size_t>(method)]; }
    bool is_settled() const { return figures[0].best != unknown && figures[1].best != unknown; }
    // By a tenth: two methods of about equal speed must not alternate, and a lender may go on.
    bool kernel_is_better() const { return figures[0].best < figures[1].best * 0.9; }
    void forget(Method method) {
      (*this)[method] = {};
      settled = 0;
      granted = false;
      period = std::min(2 * period, most_period);
    }
  };
  static constexpr std::size_t lengths = 8;
  Tally& at(std::uint32_t member, std::uint64_t bytes) {
    if (member >= tallies_.size()) tallies_.resize(member + 1);
    const auto length = static_cast<std::size_t>(std::bit_width(bytes / least_bytes));
    return tallies_[member][std::min(length, lengths - 1)];
  }
  std::vector<std::array<Tally, lengths>> tallies_;
};

}  // namespace atl::coll::detail
