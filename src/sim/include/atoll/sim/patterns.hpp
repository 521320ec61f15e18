// SPDX-License-Identifier: Apache-2.0
// Communication patterns of programs, as schedules: halo exchanges, transposes of FFTs, the exchange of a sort, gathers
// by index.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/coll/plan.hpp"
#include "atoll/sim/time.hpp"

namespace atl::sim {

/// Replaces `steps` by those of a PE.
using Writer = std::function<void(int pe, std::vector<coll::PlanStep>& steps)>;

struct PatternOptions {
  std::string_view name;  ///< "halo"
  std::string_view form;  ///< "neighbours"; auto: the first
  std::uint32_t pes = 1;
  std::uint64_t bytes = 0;  ///< halo: of each face; fft, sort: of each PE's data
  std::uint64_t items = 1;  ///< fft: pieces of the slabs; sort: exchanges; indexgather: elements that each PE asks for
  Time compute_ps = 0;  ///< of each PE, in its place among the messages
  Time peer_ps = 0;  ///< sort: of each PE, for each peer of an exchange
};

/// Every pattern with its forms.
std::vector<std::pair<std::string_view, std::vector<std::string_view>>> known_patterns();
bool is_pattern(std::string_view name);
/// The form that `options` name. Throws ValueError with what there is.
std::string_view form_of(const PatternOptions& options);
/// `options` are copied, what their names refer to must stay.
Writer pattern(const PatternOptions& options);

}  // namespace atl::sim
