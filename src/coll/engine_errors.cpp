// SPDX-License-Identifier: Apache-2.0
// Errors of members that called different operations, or did not arrive.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atoll/base/config.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/peers.hpp"
#include "engine.hpp"

namespace atl::coll::detail {

double Engine::limit_for_stopped() const {
  return std::isinf(timeout_seconds_) ? config::seconds(config::Variable::peer_timeout) : 0;
}

std::string Engine::mismatch_text(std::uint32_t member, Kind theirs) const {
  if (theirs != last_kind_)
    return fmt::format(
        "PE {} called {} where PE {} called {}: all members must call the same collectives in the same order",
        mail_.pe(member).value(), name_of(theirs), parts_.one_sided.pe().value(), name_of(last_kind_));
  return fmt::format(
      "PE {} and PE {} disagree about the arguments of {} (sizes, root, element type or operation), or their ATOLL_COLL_TABLE differs",
      mail_.pe(member).value(), parts_.one_sided.pe().value(), name_of(last_kind_));
}

// Messages do not reveal every disagreement: each of two members may wait for a message of the other.
std::optional<std::string> Engine::find_disagreement(Members among) const {
  for (std::uint32_t member = 0; member < static_cast<std::uint32_t>(size_); ++member) {
    if (among == Members::nearby && !parts_.job.is_local(mail_.pe(member))) continue;
    Announced found = mail_.announced(member);
    if (found.sequence != sequence_ || !found.check) continue;  // it is elsewhere, or has gone on
    Kind theirs = static_cast<Kind>(found.kind);
    if (theirs != last_kind_ || *found.check != last_check_) return mismatch_text(member, theirs);
  }
  return std::nullopt;
}

// Names the members that are furthest behind: the others may be waiting for them.
std::string Engine::timeout_text() {
  std::vector<PeId> late, all;
  std::uint64_t furthest_behind = sequence_;
  for (int member = 0; member < size_; ++member) {
    all.push_back(pe(member));
    const std::uint64_t sequence = mail_.announced(static_cast<std::uint32_t>(member)).sequence;
    if (sequence < furthest_behind) late.clear();
    furthest_behind = std::min(furthest_behind, sequence);
    if (sequence < sequence_ && sequence == furthest_behind) late.push_back(pe(member));
  }
  const double limit_seconds = std::isinf(timeout_seconds_) ? limit_for_stopped() : timeout_seconds_;
  const bool all_came = late.empty();
  if (all_came) {
    const std::uint32_t member = executor_.waits_for();
    if (member < static_cast<std::uint32_t>(size_)) late.push_back(mail_.pe(member));
  }
  const std::vector<PeId> culprits = runtime::find_culprits(parts_.job, late, all);
  if (!culprits.empty()) parts_.job.suspect(culprits.front());
  const std::string named = culprits.empty() ? "a PE" : runtime::describe(parts_.job, culprits);
  if (all_came)
    return fmt::format("{} (number {}): all PEs have called it, but {} has not answered for {} s", name_of(last_kind_),
                       sequence_, named, limit_seconds);
  std::string elsewhere;
  for (int member = 0; member < size_; ++member) {
    const Announced found = mail_.announced(static_cast<std::uint32_t>(member));
    if (found.sequence >= sequence_ || std::find(culprits.begin(), culprits.end(), pe(member)) == culprits.end())
      continue;
    elsewhere += found.sequence == 0
                     ? fmt::format("; PE {} has called none yet", pe(member).value())
                     : fmt::format("; the last that PE {} called was {} (number {})", pe(member).value(),
                                   name_of(static_cast<Kind>(found.kind)), found.sequence);
  }
  return fmt::format("{} (number {}): {} did not arrive within {} s{}. Raise ATOLL_PEER_TIMEOUT if that can be right",
                     name_of(last_kind_), sequence_, named, limit_seconds, elsewhere);
}

}  // namespace atl::coll::detail
