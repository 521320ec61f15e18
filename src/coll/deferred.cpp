// SPDX-License-Identifier: Apache-2.0
#include "deferred.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "algorithm/algorithms.hpp"

namespace atl::coll::detail {
namespace {

using Work = fabric::DeferredWork;

unsigned rounds_of(int size) { return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(size - 1))); }

// Channels: of each family one for each round; then from the upper member of a pair to the lower, and back (see
// ReductionTree).
enum Family : unsigned { barriers, broadcasts, reductions, pairs };
unsigned channel_of(Family family, unsigned round, int size) { return family * rounds_of(size) + round; }
unsigned channel_count(int size) { return channel_of(pairs, 2, size); }

// Floating-point sums and products have the same bits in either order of operands; minima and maxima of zeros of
// different signs and of NaNs have not.
std::optional<std::pair<Work::Number, Work::Operation>> by_network(const Reduction& reduction) {
  if (reduction.code() == 0) return std::nullopt;
  const auto type = static_cast<Type>((reduction.code() - 1) / op_count);
  const auto op = static_cast<Op>((reduction.code() - 1) % op_count);
  if (type < Type::i8 || type > Type::f64 || (type >= Type::f32 && op > Op::prod)) return std::nullopt;
  static_assert(static_cast<int>(Type::f64) - static_cast<int>(Type::i8) == static_cast<int>(Work::Number::f64));
  static_assert(static_cast<int>(Op::bit_xor) == static_cast<int>(Work::Operation::bit_xor));
  return std::pair(static_cast<Work::Number>(static_cast<int>(type) - static_cast<int>(Type::i8)),
                   static_cast<Work::Operation>(op));
}

}  // namespace

std::vector<Work::Channel> Deferred::channels(int size) {
  std::vector<Work::Channel> all;
  for (Work::Channel kind : {Work::Channel::signal, Work::Channel::value, Work::Channel::combined})
    all.insert(all.end(), rounds_of(size), kind);
  all.push_back(Work::Channel::combined);  // to the lower of a pair
  all.push_back(Work::Channel::value);     // to the upper
  return all;
}

Deferred::Deferred(std::unique_ptr<Work> work, int rank, int size) : work_(std::move(work)), rank_(rank), size_(size) {
  for (unsigned channel = 0; channel < channel_count(size); ++channel)
    for (int partner : {ends(channel).to, ends(channel).from})
      if (partner >= 0) partners_.push_back(partner);
  std::sort(partners_.begin(), partners_.end());
  partners_.erase(std::unique(partners_.begin(), partners_.end()), partners_.end());
}

Deferred::Ends Deferred::ends(unsigned channel) const {
  const ReductionTree tree(rank_, size_);
  const unsigned round = channel % rounds_of(size_);
  const int distance = 1 << round;
  switch (channel / rounds_of(size_)) {
    case barriers:
    case broadcasts: return {(rank_ + distance) % size_, (rank_ - distance + size_) % size_};
    case reductions: {
      if (tree.hands_over() || distance >= tree.leaves()) return {};
      const int partner = tree.rank_of(tree.leaf() ^ distance);
      return {partner, partner};
    }
    default: {
      if (!tree.paired()) return {};
      const bool down = channel == channel_of(pairs, 1, size_);
      if (tree.hands_over()) return down ? Ends{-1, rank_ - 1} : Ends{rank_ - 1, -1};
      return down ? Ends{rank_ + 1, -1} : Ends{-1, rank_ + 1};
    }
  }
}

void Deferred::connect(std::span<const Work::Card> cards) {
  auto card_of = [&](int partner) -> const Work::Card* {
    if (partner < 0) return nullptr;
    return &cards[static_cast<std::size_t>(std::lower_bound(partners_.begin(), partners_.end(), partner) -
                                           partners_.begin())];
  };
  for (unsigned channel = 0; channel < channel_count(size_); ++channel)
    work_->connect(channel, card_of(ends(channel).to), card_of(ends(channel).from));
}

bool Deferred::suits(Kind kind, std::uint64_t bytes, const Reduction* reduction) const {
  if (kind == Kind::barrier) return true;
  if (bytes == 0 || bytes > Work::most_bytes) return false;
  if (kind == Kind::broadcast) return true;
  if (kind != Kind::allreduce) return false;
  const auto how = by_network(*reduction);
  return how && work_->combines(how->first, how->second, bytes / reduction->element_bytes());
}

void Deferred::start(Kind kind, std::uint64_t bytes, int root, const void* in, void* out, const Reduction* reduction) {
  steps_.clear();
  out_ = out;
  bytes_ = bytes;
  const unsigned rounds = rounds_of(size_);
  auto send = [&](Family family, unsigned round) { steps_.push_back({true, channel_of(family, round, size_)}); };
  auto await = [&](Family family, unsigned round) { steps_.push_back({false, channel_of(family, round, size_)}); };
  Work::Run run{{}, bytes};
  if (kind == Kind::barrier) {
    for (unsigned round = 0; round < rounds; ++round) send(barriers, round), await(barriers, round);
  } else if (kind == Kind::broadcast) {
    const auto shifted = static_cast<unsigned>((rank_ - root + size_) % size_);
    const unsigned from = shifted == 0 ? rounds : static_cast<unsigned>(std::countr_zero(shifted));
    if (shifted != 0) {
      await(broadcasts, from);
    } else {
      std::memcpy(work_->value(), in, bytes);
      if (in == out) out_ = nullptr;
    }
    // The farthest first: its subtree is the deepest.
    for (unsigned round = from; round-- > 0;)
      if (shifted + (1u << round) < static_cast<unsigned>(size_)) send(broadcasts, round);
  } else {
    std::tie(run.number, run.operation) = *by_network(*reduction);
    std::memcpy(work_->value(), in, bytes);
    const ReductionTree tree(rank_, size_);
    if (tree.hands_over()) {
      send(pairs, 0), await(pairs, 1);
    } else {
      if (tree.paired()) await(pairs, 0);
      for (unsigned round = 0; 1 << round < tree.leaves(); ++round) send(reductions, round), await(reductions, round);
      if (tree.paired()) send(pairs, 1);
    }
  }
  run.steps = steps_;
  work_->start(run);
}

bool Deferred::is_done() {
  if (!work_->is_done()) return false;
  if (out_ != nullptr) std::memcpy(std::exchange(out_, nullptr), work_->value(), bytes_);
  return true;
}

}  // namespace atl::coll::detail
