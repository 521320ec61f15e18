// SPDX-License-Identifier: Apache-2.0
// Making a plan: looking kernels up, assigning tile registers; and spreading its run over threads.
#include "atoll/array/kernel/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "atoll/base/assertion.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/program/chain.hpp"
#include "kernel/program/tile.hpp"
#include "kernel/reduce/fused.hpp"
#include "kernel/reduce/unit.hpp"

namespace atl::array {
namespace {

ElementKernel kernel_of(const Program& program, const Instruction& step) {
  if (step.op == Op::cast) return find_cast(step.type, program.type_of(step.a));
  if (ElementKernel kernel = find_kernel(step.op, step.type)) return kernel;
  raise<TypeError>(fmt::format("'{}' has no loop for {}", info(step.op).name, name_of(step.type)));
}

// Ranges handed to a thread: below twice this many elements waking another costs more than it saves.
constexpr std::size_t range_elements = 16384;

/// Results larger than this bypass the cache: they would push out what is read next, and be read themselves first.
std::uint64_t streaming_bytes() {
  static const std::uint64_t bytes = std::max<std::uint64_t>(topology().l2_bytes, 256 * KiB);
  return bytes;
}

}  // namespace

Plan::Plan(Program program) : program_(std::move(program)) {
  program_.validate();
  const std::size_t leaves = program_.leaves.size(), constants = program_.constants.size();
  const std::size_t steps = program_.code.size();
  auto place_of_input = [&](Register r) {
    return static_cast<std::uint16_t>(r.kind() == Register::Kind::leaf ? r.index() : leaves + r.index());
  };
  for (DType type : program_.leaves) max_size_ = std::max<std::uint8_t>(max_size_, size_of(type));
  for (const Constant& constant : program_.constants)
    max_size_ = std::max<std::uint8_t>(max_size_, size_of(constant.type));

  // What each step reads: an instruction's operands, or those of a chain that ends with it.
  const ChainBuilder builder(program_);
  std::vector<std::shared_ptr<Chain>> chains(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    if (builder.is_root(i)) chains[i] = std::make_shared<Chain>(builder.build(i));
  }
  std::vector<Register> operands;
  auto read_operands = [&](std::size_t i) {
    const Instruction& code = program_.code[i];
    if (chains[i] != nullptr) operands.assign(chains[i]->operands.begin(), chains[i]->operands.end());
    else operands.assign({code.a, code.b, code.c});
  };

  // The step that reads a value last; results are read at the very end.
  std::vector<std::size_t> last_use(steps, 0);
  std::vector<char> read_by_step(steps, 0), result_count(steps, 0);
  for (std::size_t i = 0; i < steps; ++i) {
    if (builder.is_inner(i)) continue;
    read_operands(i);
    for (Register r : operands) {
      if (r.kind() == Register::Kind::value) {
        last_use[r.index()] = i;
        read_by_step[r.index()] = 1;
      }
    }
  }
  for (Register r : program_.results) {
    if (r.kind() == Register::Kind::value) {
      last_use[r.index()] = steps;
      result_count[r.index()] = static_cast<char>(std::min(2, result_count[r.index()] + 1));
    }
  }

  std::vector<std::uint16_t> slot(steps, 0), free_slots;
  auto place_of = [&](Register r) -> std::uint16_t {
    if (r.kind() == Register::Kind::value) return static_cast<std::uint16_t>(leaves + constants + slot[r.index()]);
    return place_of_input(r);
  };
  steps_.reserve(steps);
  std::vector<std::uint16_t> step_of(steps, 0), after, places;
  for (std::size_t i = 0; i < steps; ++i) {
    if (builder.is_inner(i)) continue;
    const Instruction& code = program_.code[i];
    const std::size_t size = size_of(result_type(code.op, code.type));
    max_size_ = std::max<std::uint8_t>(max_size_, static_cast<std::uint8_t>(size));
    // Operands that die here give their registers back: before the result's is taken when it may be the same one.
    read_operands(i);
    after.clear();
    places.assign(operands.size(), 0);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Register r = operands[k];
      if (r.kind() == Register::Kind::none) continue;
      places[k] = place_of(r);
      if (r.kind() != Register::Kind::value || last_use[r.index()] != i) continue;
      const auto here = operands.begin() + static_cast<std::ptrdiff_t>(k);
      if (std::find(operands.begin(), here, r) != here) continue;
      if (size_of(program_.type_of(r)) == size) free_slots.push_back(slot[r.index()]);
      else after.push_back(slot[r.index()]);
    }
    if (free_slots.empty()) {
      ATOLL_VALIDATE(leaves + constants + slots_ < 0xFFFF, ValueError, "the expression needs too many registers");
      slot[i] = slots_++;
    } else {
      slot[i] = free_slots.back();
      free_slots.pop_back();
    }
    free_slots.insert(free_slots.end(), after.begin(), after.end());
    Step step{};
    step.out = static_cast<std::uint16_t>(leaves + constants + slot[i]);
    step.result = -1;
    if (chains[i] != nullptr) {
      chains[i]->places = places;
      step.chain = std::move(chains[i]);
    } else {
      step.kernel = kernel_of(program_, code);
      step.a = places[0];
      step.b = places[1];
      step.c = places[2];
    }
    step_of[i] = static_cast<std::uint16_t>(steps_.size());
    steps_.push_back(std::move(step));
  }

  direct_.assign(program_.results.size(), 0);
  for (std::size_t r = 0; r < program_.results.size(); ++r) {
    const Register result = program_.results[r];
    result_places_.push_back(place_of(result));
    if (result.kind() == Register::Kind::value && read_by_step[result.index()] == 0 &&
        result_count[result.index()] == 1) {
      steps_[step_of[result.index()]].result = static_cast<std::int16_t>(r);
      direct_[r] = 1;
    }
  }
}

Outcome Plan::evaluate(Work& work, const Domain& domain, std::span<const Leaf> leaves,
                       std::span<void* const> outputs) const {
  ATOLL_EXPECT(leaves.size() == program_.leaves.size() && outputs.size() <= program_.results.size());
  const std::uint64_t count = domain.size();
  bool in_place = false, large = false;
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    if (outputs[r] == nullptr) continue;
    large |= count * size_of(program_.type_of(program_.results[r])) > streaming_bytes();
    for (const Leaf& leaf : leaves) in_place |= leaf.data == outputs[r];
  }
  // One step reads a place before it writes to it, whatever is there.
  const bool at_once = !in_place || (steps_.size() == 1 && program_.results.size() == 1);
  const TileRunner::Store store = large ? at_once ? TileRunner::Store::streamed_direct : TileRunner::Store::streamed
                                  : in_place ? TileRunner::Store::copied
                                             : TileRunner::Store::direct;
  Outcome outcome;
  std::mutex outcome_mutex;
  work.threads.for_ranges(count, range_elements, [&](std::size_t begin, std::size_t end, unsigned thread) {
    TileRunner runner(*this, domain, leaves, end - begin);
    std::vector<void*> places(outputs.size());
    std::size_t since_checkpoint = 0;
    auto run = [&](std::size_t at, std::size_t n) {
      for (std::size_t r = 0; r < outputs.size(); ++r) {
        places[r] = outputs[r] == nullptr
                        ? nullptr
                        : static_cast<std::byte*>(outputs[r]) + at * size_of(program_.type_of(program_.results[r]));
      }
      runner.run(at, n, places, store);
    };
    // A chain that reads memory and writes memory needs no tiles: they cost a tenth of a sum of two arrays.
    const bool writes_all =
        outputs.size() == 1 && outputs[0] != nullptr && direct_[0] &&
        (store == TileRunner::Store::direct ||
         (store == TileRunner::Store::streamed_direct && reinterpret_cast<std::uintptr_t>(outputs[0]) % 64 == 0));
    const std::size_t tile = writes_all && runner.reads_memory_only() ? range_elements : runner.tile_elements();
    for (std::size_t at = begin; at < end;) {
      const std::size_t n = std::min(tile, end - at);
      // Whole vectors work on the arrays themselves; what is left over goes through padded registers.
      const std::size_t whole = n / kernel_multiple * kernel_multiple;
      if (whole > 0) run(at, whole);
      if (whole < n) run(at + whole, n - whole);
      at += n;
      since_checkpoint += n;
      if (thread == 0 && !in_place && since_checkpoint >= (std::size_t{1} << 20)) {
        work.monitor.checkpoint(at - begin, end - begin);
        since_checkpoint = 0;
      }
    }
    if (large) stream_fence();
    std::lock_guard lock(outcome_mutex);
    outcome |= runner.outcome;
  });
  return outcome;
}

Outcome Plan::reduce(Work& work, const Domain& domain, std::span<const Leaf> leaves, std::span<void* const> outputs,
                     Reduction kind, const UnitGrid& grid, std::uint64_t total, TreeFold& fold) const {
  ATOLL_EXPECT(leaves.size() == program_.leaves.size() && !program_.results.empty());
  const std::uint64_t count = domain.size(), first = domain.first;
  ATOLL_EXPECT(grid.is_border(first) && (grid.is_border(first + count) || first + count == total));
  if (count == 0) return {};
  const DType type = program_.type_of(program_.results[0]);
  const UnitReduction units(kind, type);
  const bool places_wanted = kind == Reduction::argmin || kind == Reduction::argmax;
  const LocateKernel locate = places_wanted ? find_locate_kernel(type) : nullptr;
  const PrecedesKernel precedes = places_wanted ? find_precedes(kind, type) : nullptr;
  bool in_place = false, large = false, storing = false;
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    if (outputs[r] == nullptr) continue;
    storing = true;
    large |= count * size_of(program_.type_of(program_.results[r])) > streaming_bytes();
    for (const Leaf& leaf : leaves) in_place |= leaf.data == outputs[r];
  }
  // Not direct: an output of another result might still be read as a leaf.
  const TileRunner::Store store = large ? TileRunner::Store::streamed : TileRunner::Store::copied;

  const std::uint64_t unit_begin = grid.units_before(first), unit_end = grid.units_before(first + count);
  std::vector<TreeFold> folds(work.threads.size(), TreeFold(kind, type));
  Outcome outcome;
  std::mutex outcome_mutex;
  const std::size_t range_units = std::max<std::size_t>(1, range_elements / grid.unit());
  work.threads.for_ranges(unit_end - unit_begin, range_units, [&](std::size_t begin, std::size_t end, unsigned thread) {
    TileRunner runner(*this, domain, leaves, std::min<std::uint64_t>(count, UnitGrid::max_unit));
    TreeFold mine(kind, type);  // not in `folds`: neighbours there share a cache line, 0.5 ms in 10^7 elements
    std::vector<void*> places(storing ? outputs.size() : 0);
    TreeNode best;
    best.empty = 1;
    const bool plain = runner.is_plain() && !storing && steps_.empty();
    const std::byte* const plain_data = plain ? static_cast<const std::byte*>(runner.run_all(0, 0, nullptr)) : nullptr;
    const std::size_t size = size_of(type);
    // A chain that reads memory computes a group of units at once: its streams would halt after each (six doubles: 5.4
    // ms one by one, 4.7 in groups).
    constexpr std::size_t group = TreeFold::leaf_group;
    const FusedSum fused(program_, storing ? Reduction::any : kind, domain, leaves, FusedSum::Along::everything);
    const bool chained = !fused.is_usable() && !storing && !places_wanted && grid.unit() % kernel_multiple == 0 &&
                         runner.reads_memory_only() && direct_[0] && program_.results.size() == 1;
    const bool summed = chained && kind == Reduction::sum;  // by the chain itself, as far as lanes go
    const std::size_t length = summed ? chain_sums_bytes / size : grid.unit();  // of what it leaves of a unit
    Buffer<std::byte> chain_values;
    if (chained) chain_values = Buffer<std::byte>(work.memory, group * length * size);
    // Units one after the other without a division for each.
    UnitGrid::Unit unit = grid.at(unit_begin + begin, total);
    std::uint64_t granule_end = (unit.begin / grid.granule() + 1) * grid.granule();
    // The place is looked for only when a unit beats all before it; otherwise it need not say anything.
    auto beats = [&](TreeNode& node, std::uint64_t unit_first, const void* values, std::size_t n) {
      if (!best.empty && !precedes(node.bits, unit_first, best.bits, best.position)) return false;
      node.position = unit_first + locate(values, n, node.bits);
      best = node;
      return true;
    };
    std::size_t until_checkpoint = 1024;
    std::size_t one_by_one = 0;  // units before this are: one of their group has left the range
    for (std::size_t u = begin; u < end;) {
      if (thread == 0 && !in_place && --until_checkpoint == 0) {
        work.monitor.checkpoint(u - begin, end - begin);
        until_checkpoint = 1024;
      }
      const std::uint64_t at = unit.begin - first;
      // Whole units of an array as it lies in memory, or of a chain, several at once.
      if ((plain || chained) && grid.shift() == 0 && unit.tree_index % group == 0 && end - u > group &&
          u >= one_by_one) {
        const std::byte* const values = plain ? plain_data + at * size : chain_values.data();
        if (summed) {
          runner.sum_lanes(at, group * grid.unit(), grid.unit(), chain_values.data());
        } else if (chained) {
          void* to[] = {chain_values.data()};
          runner.run(at, group * grid.unit(), to, TileRunner::Store::direct);
        }
        TreeNode joined;
        joined.index = unit.tree_index / group;
        joined.level = TreeFold::leaf_group_level;
        std::array<std::uint64_t, group> bits;
        if (units.may_leave_range()) {
          // The flags of what the chain has added are lost.
          if (!units.group(values, length, joined) || (summed && units.is_infinite_or_nan(joined.bits))) [[unlikely]] {
            one_by_one = u + group;
            continue;
          }
          mine.push(joined);
        } else {
          units.plain().each(values, length, group, bits.data());
          if (places_wanted) {
            joined.empty = 1;
            for (std::size_t k = 0; k < group; ++k) {
              TreeNode node;
              node.bits = bits[k];
              const std::size_t skip = k * grid.unit();
              if (!beats(node, unit.begin + skip, values + skip * size, grid.unit())) continue;
              joined.bits = node.bits;
              joined.position = node.position;
              joined.empty = 0;
            }
            mine.push(joined);
          } else {
            mine.push_leaves(unit.tree_index, bits);
          }
        }
        u += group;
        unit.tree_index += group;
        unit.begin += group * grid.unit();
        granule_end = unit.begin + grid.granule();
        unit.end = std::min({unit.begin + grid.unit(), granule_end, total});
        continue;
      }
      const std::size_t n = unit.end - unit.begin;
      TreeNode node;
      node.index = unit.tree_index;
      if (fused.is_usable()) node.bits = fused.unit(at, n);
      const bool known = fused.is_usable() && !units.is_infinite_or_nan(node.bits);
      for (std::size_t r = 0; r < places.size(); ++r) {
        places[r] = outputs[r] == nullptr
                        ? nullptr
                        : static_cast<std::byte*>(outputs[r]) + at * size_of(program_.type_of(program_.results[r]));
      }
      const void* values = known ? nullptr : plain ? plain_data + at * size : runner.run(at, n, places, store);
      if (!known) units.one(values, n, node);
      if (places_wanted && !beats(node, unit.begin, values, n)) node.empty = 1;
      mine.push(node);
      if (unit.end == granule_end) {
        const std::uint64_t tree_end = grid.tree_end(unit);
        mine.pad_to(tree_end);
        unit.tree_index = tree_end;
        granule_end += grid.granule();
      } else {
        ++unit.tree_index;
      }
      unit.begin = unit.end;
      unit.end = std::min({unit.begin + grid.unit(), granule_end, total});
      ++u;
    }
    if (large) stream_fence();
    folds[thread] = std::move(mine);
    std::lock_guard lock(outcome_mutex);
    outcome |= runner.outcome;
  });
  for (const TreeFold& part : folds) fold.push(part.nodes());
  return outcome;
}

}  // namespace atl::array
