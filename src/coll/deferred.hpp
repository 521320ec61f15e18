// SPDX-License-Identifier: Apache-2.0
// Collectives that are offloaded to the network: barriers in rounds of dissemination, broadcasts by a binomial
// tree, allreduces by recursive doubling, of up to 4 KiB, for members that have a node each.
#pragma once

#include <memory>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "atoll/fabric/deferred.hpp"
#include "selection.hpp"

namespace atl::coll::detail {

class Deferred {
 public:
  using Work = fabric::DeferredWork;
  /// What the network has to have for so many members.
  static std::vector<Work::Channel> channels(int size);

  Deferred(std::unique_ptr<Work> work, int rank, int size);
  /// With whom it has to exchange cards, ascending; they with this one too.
  const std::vector<int>& partners() const { return partners_; }
  Work::Card card() const { return work_->card(); }
  /// In the order of partners().
  void connect(std::span<const Work::Card> cards);

  /// The same on all members: of element types, the floating point's minimum and maximum, and functors, are left to the
  /// host.
  bool suits(Kind kind, std::uint64_t bytes, const Reduction* reduction) const;
  /// One at a time. `in` is read, the result is in `out` when is_done() has said so, which makes no other work.
  void start(Kind kind, std::uint64_t bytes, int root, const void* in, void* out, const Reduction* reduction);
  bool is_done();

 private:
  struct Ends {
    int to = -1, from = -1;  // -1: none
  };
  Ends ends(unsigned channel) const;

  std::unique_ptr<Work> work_;
  int rank_, size_;
  std::vector<int> partners_;
  std::vector<Work::Step> steps_;
  void* out_ = nullptr;  // null: nothing to hand over
  std::uint64_t bytes_ = 0;
};

}  // namespace atl::coll::detail
