// SPDX-License-Identifier: Apache-2.0
#include "atoll/coll/plan.hpp"

#include <fmt/format.h>

#include "atoll/base/validate.hpp"
#include "schedule.hpp"
#include "selection.hpp"

namespace atl::coll {
namespace {

using detail::Kind;
using detail::Step;

static_assert(static_cast<int>(PlanStep::Kind::put) == static_cast<int>(Step::Kind::put) &&
              static_cast<int>(PlanStep::Kind::join) == static_cast<int>(Step::Kind::join) &&
              static_cast<int>(PlanStep::Kind::identity) == static_cast<int>(Step::Kind::identity));

}  // namespace

struct Planner::State {
  const Placement& placement;
  Kind kind;
  std::uint8_t algorithm = 0;
  detail::Arguments arguments;
  std::vector<ConstBlock> in_blocks;
  std::vector<Block> out_blocks;
  std::vector<std::uint64_t> sizes;
  std::size_t small = 0;
};

Planner::Planner(const PlanOptions& options, const Placement& placement)
    : state_(new State{placement, detail::kind_named(options.collective), 0, {}, {}, {}, {}, 0}) {
  ATOLL_VALIDATE(options.element_bytes > 0 && options.bytes % options.element_bytes == 0, ValueError,
                 "{} bytes are no whole number of elements of {} bytes", options.bytes, options.element_bytes);
  ATOLL_VALIDATE(options.root >= 0 && options.root < placement.size(), ValueError, "root {} is not one of {} members",
                 options.root, placement.size());
  detail::Arguments& arguments = state_->arguments;
  arguments.bytes = state_->kind == Kind::barrier ? 0 : options.bytes;
  arguments.element_bytes = options.element_bytes;
  arguments.root = options.root;
  arguments.symmetric = true;
  if (detail::takes_blocks(state_->kind)) {
    state_->in_blocks.assign(static_cast<std::size_t>(placement.size()), {nullptr, options.bytes});
    state_->out_blocks.assign(static_cast<std::size_t>(placement.size()), {nullptr, options.bytes});
    arguments.in_blocks = state_->in_blocks;
    arguments.out_blocks = state_->out_blocks;
  }
  const std::uint64_t pes = placement.members(0).size();
  const bool at_home = placement.nodes() == 1 && (options.cores == 0 || pes <= options.cores);
  state_->small = at_home ? detail::longest_small_message_nearby : detail::longest_small_message;
  detail::Selection selection;
  if (options.cores != 0 && placement.nodes() == 1) selection.set_sharing(pes, options.cores);
  if (options.algorithm != "auto")
    selection.force(fmt::format("{}={}", options.collective, options.algorithm), "algorithm");
  state_->algorithm = selection.choose(state_->kind, arguments, placement);
  if (!selection.needs_sizes(state_->kind, arguments, placement)) return;
  // The round that collects sizes at leaders is not part of the plan.
  std::size_t most = 0;
  for (int node = 0; node < placement.nodes(); ++node) most = std::max(most, placement.members(node).size());
  state_->sizes.assign(most * 2 * static_cast<std::size_t>(placement.size()), options.bytes);
  arguments.sizes = state_->sizes;
  arguments.sized = true;
}

Planner::~Planner() = default;

void Planner::write(int rank, std::vector<PlanStep>& steps) const {
  static thread_local detail::Schedule schedule;  // its memory is used again
  detail::ScheduleBuilder builder(schedule, rank, state_->placement, state_->small);
  detail::Selection::write(state_->kind, state_->algorithm, builder, state_->arguments);
  steps.clear();
  for (const Step& step : schedule.steps)
    // Data with a known destination are written there, and the receiver is notified (see executor.hpp).
    if (step.placed && step.bytes <= detail::longest_written)
      steps.push_back(
          {step.kind == Step::Kind::send ? PlanStep::Kind::put : PlanStep::Kind::take, step.peer, step.bytes, true});
    else steps.push_back({static_cast<PlanStep::Kind>(step.kind), step.peer, step.bytes});
}

std::string_view Planner::algorithm() const { return detail::algorithms_of(state_->kind)[state_->algorithm]; }

std::vector<std::pair<std::string_view, std::vector<std::string_view>>> Planner::known() {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> all;
  for (std::size_t kind = 0; kind < detail::kind_count; ++kind)
    all.emplace_back(detail::name_of(static_cast<Kind>(kind)), detail::algorithms_of(static_cast<Kind>(kind)));
  return all;
}

}  // namespace atl::coll
