// SPDX-License-Identifier: Apache-2.0
#include "option_names.hpp"

#include <algorithm>
#include <array>

#include "atoll/base/closest_word.hpp"

namespace atl::runtime {
namespace {

using enum Option;
using enum Values;

// MPI's standard, MPICH's hydra (one -) and Open MPI (one or two) are where the second names come from.
constexpr std::array table{
    OptionName{"-n", npes, one},
    OptionName{"-np", npes, one},
    OptionName{"-c", npes, one},
    OptionName{"--n", npes, one},
    OptionName{"--np", npes, one},
    OptionName{"--npes", npes, one},
    OptionName{"-t", threads, one},
    OptionName{"--threads", threads, one},
    OptionName{"--bind", bind, one},
    OptionName{"--bind-to", bind_to, one},
    OptionName{"-bind-to", bind_to, one},
    OptionName{"--map-by", map_by, one},
    OptionName{"-map-by", map_by, one},
    OptionName{"--rank-by", rank_by, one},
    OptionName{"-rank-by", rank_by, one},
    OptionName{"--pes-per-node", pes_per_node, one},
    OptionName{"-N", pes_per_node, one},
    OptionName{"-ppn", pes_per_node, one},
    OptionName{"--ppn", pes_per_node, one},
    OptionName{"-perhost", pes_per_node, one},
    OptionName{"-npernode", pes_per_node, one},
    OptionName{"--npernode", pes_per_node, one},
    OptionName{"-l", label, none},
    OptionName{"--label", label, none},
    OptionName{"-prepend-rank", label, none},
    OptionName{"-tag-output", label, none},
    OptionName{"--tag-output", label, none},
    OptionName{"--output", output, one},
    OptionName{"--timeout", timeout, one},
    OptionName{"-timeout", timeout, one},
    OptionName{"-h", help, none},
    OptionName{"-help", help, none},
    OptionName{"--help", help, none},
    OptionName{"-V", version, none},
    OptionName{"-version", version, none},
    OptionName{"--version", version, none},
    OptionName{"--hosts", hosts, one},
    OptionName{"-hosts", hosts, one},
    OptionName{"--host", hosts, one},
    OptionName{"-host", hosts, one},
    OptionName{"-H", hosts, one},
    OptionName{"--hostfile", hostfile, one},
    OptionName{"-hostfile", hostfile, one},
    OptionName{"--machinefile", hostfile, one},
    OptionName{"-machinefile", hostfile, one},
    OptionName{"-f", hostfile, one},
    OptionName{"--launch-agent", launch_agent, one},
    OptionName{"--address", address, one},
    OptionName{"-iface", address, one},
    OptionName{"--port", port, one},
    OptionName{"-x", pass, one},
    OptionName{"-genv", assign, two},
    OptionName{"--genv", assign, two},
    OptionName{"-env", assign_one, two},
    OptionName{"--env", assign_one, two},
    OptionName{"-genvlist", pass_list, one},
    OptionName{"--genvlist", pass_list, one},
    OptionName{"-envlist", pass_list, one},
    OptionName{"--envlist", pass_list, one},
    OptionName{"-genvall", pass_all, none},
    OptionName{"--genvall", pass_all, none},
    OptionName{"-envall", pass_all, none},
    OptionName{"--envall", pass_all, none},
    OptionName{"-wdir", directory, one},
    OptionName{"--wdir", directory, one},
    OptionName{"-wd", directory, one},
    OptionName{"--wd", directory, one},
    OptionName{"--python", python, one},
    OptionName{"--oversubscribe", needless, none},
    OptionName{"-oversubscribe", needless, none},
    OptionName{"--allow-run-as-root", needless, none},
    OptionName{"-allow-run-as-root", needless, none},
    OptionName{"--use-hwthread-cpus", needless, none},
    OptionName{"-q", needless, none},
    OptionName{"--quiet", needless, none},
    OptionName{"-v", needless, none},
    OptionName{"-verbose", needless, none},
    OptionName{"--verbose", needless, none},
    OptionName{"-mca", foreign, two},
    OptionName{"--mca", foreign, two},
    OptionName{"--prtemca", foreign, two},
    OptionName{"--pmixmca", foreign, two},
};

}  // namespace

const OptionName* find_option(std::string_view name) {
  auto found = std::find_if(table.begin(), table.end(), [&](const OptionName& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view closest_option(std::string_view word) {
  std::array<std::string_view, table.size()> names;
  std::transform(table.begin(), table.end(), names.begin(), [](const OptionName& one) { return one.name; });
  return closest_word(word, names);
}

}  // namespace atl::runtime
