// SPDX-License-Identifier: Apache-2.0
// `atoll-run`: what it says of itself, and which of its parts does the work.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "agent.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/launch/launcher.hpp"
#include "command_line.hpp"
#include "guests.hpp"
#include "hosts_launch.hpp"
#include "placement.hpp"

namespace atl::runtime {
namespace {

constexpr std::string_view help_text =
    R"(usage: atoll-run -n N [options] PROGRAM [ARGUMENT...] [: -n N [options] PROGRAM [ARGUMENT...]]...

Runs PROGRAM as N processing elements (PEs), on this host or on several, and passes their output on, line by line. After
a ':' comes another program, whose PEs belong to the same job. PROGRAM is looked for on the PATH, then in its directory.

  -n, -np, --npes N    number of PEs of this program (default for a Python script: one per core)
  -wdir, --wdir DIR    directory to start this program in
  -env NAME VALUE      variable of the environment of this program
  -t, --threads T      threads per PE (default: ATOLL_THREADS, or the cores shared evenly)
      --bind HOW       none (default), core (T cores of its own for each PE), numa (a NUMA domain) or socket; PEs that are
                       more than domains or sockets share them
      --pes-per-node K K PEs on every host, whatever a list says; numa or socket: as many as the host has of those, each
                       host its own number, and bound to them
      --output WHICH   whose standard output to show: all, or the number of a PE (default: 0 for Python scripts run by
                       `atoll run`, because all their PEs print the same; all for other programs, and with --label)
  -l, --label          begin each line of PE 3 with "[3] " (also --tag-output)
      --timeout S      end the job after S seconds, with status 124
      --python P       interpreter for programs that are Python scripts
  -h, --help           this text
  -V, --version        the version

on several hosts:
      --hosts LIST     a:2,b:2 : two PEs on each, in blocks; a,b : N shared evenly. Without -n all that fit. Several programs
                       have hosts of their own, or share those of the first. On hosts left over MPI_Comm_spawn can start processes
      --hostfile FILE  the same, as lines: "a slots=2", "a:2" or "a"; # begins a comment
      --launch-agent C command that runs a program on a host: its name follows, or replaces {host}
                       (default: ATOLL_LAUNCH_AGENT, or ssh -o BatchMode=yes)
      --address A      address, name or interface of this host that the others can reach (default: ATOLL_ADDRESS, or the
                       one that packets to them leave from)
      --port P         port on which the hosts report here (default: a free one)
  -x NAME[=VALUE]      set a variable for all PEs, or pass it on to other hosts; those of Atoll, OpenSHMEM, libfabric, OpenMP,
                       Python and the loader are passed on in any case
  -genvall             pass on all variables

as other launchers say it: --host, -host, -hosts, -H (--hosts); -hostfile, -machinefile, -f (--hostfile); -genv NAME VALUE
(-x NAME=VALUE); -genvlist A,B (-x A -x B); -ppn, -npernode, -N (--pes-per-node); --bind-to, --map-by (none, core, numa, socket,
ppr:N:node, pe=N); --tag-output, -prepend-rank (--label); --oversubscribe (it is so in any case).

The program, its directory and Atoll must be at the same place on every host. `atoll doctor --hosts LIST` tries them out.

PE 0 reads standard input, the others read nothing. Signals are passed on to all PEs. The exit status is that of the
first PE that failed (128 + signal when it was killed), or 0. When a PE dies the others are ended.
)";

// As HostAgents writes it: --agent HOST ADDRESS,… PORT
AgentOptions parse_agent(std::span<const char* const> arguments) {
  AgentOptions options;
  options.host = whole_number("--agent", arguments[2], 0, 65535);
  std::string_view rest = arguments[3];
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(','), rest.size());
    options.addresses.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  options.port = static_cast<std::uint16_t>(whole_number("--agent", arguments[4], 1, 65535));
  return options;
}

// As start_guests() writes it: --guests FIRST COUNT HOST PROGRAM …
KeeperOptions parse_keeper(std::span<const char* const> arguments) {
  KeeperOptions options;
  options.first = whole_number("--guests", arguments[2], 0, 131072);
  options.count = whole_number("--guests", arguments[3], 1, 65536);
  options.host = whole_number("--guests", arguments[4], 0, 131072);
  for (const char* word : arguments.subspan(5)) options.command.emplace_back(word);
  return options;
}

void print(int descriptor, std::string_view text) {
  [[maybe_unused]] auto written = ::write(descriptor, text.data(), text.size());
}

}  // namespace

int launcher_main(std::span<const char* const> arguments) {
  try {
    if (arguments.size() == 5 && std::string_view(arguments[1]) == "--agent") return run_agent(parse_agent(arguments));
    if (arguments.size() > 5 && std::string_view(arguments[1]) == "--guests")
      return keep_guests(parse_keeper(arguments));
    LaunchOptions options;
    Wish wish = parse_command_line(arguments, options);
    if (wish != Wish::launch) {
      print(STDOUT_FILENO, wish == Wish::help ? help_text : "atoll-run (Atoll) " ATOLL_VERSION "\n");
      return 0;
    }
    config::validate_environment();
    config::warn_of_unknown_names();
    return options.hosts.empty() ? launch(options) : launch_on_hosts(options);
  } catch (const UsageError& error) {
    print(STDERR_FILENO, fmt::format("atoll-run: {}. See atoll-run --help\n", error.what()));
    return 2;
  } catch (const Error& error) {
    print(STDERR_FILENO, fmt::format("atoll-run: {}\n", error.what()));
    return 2;
  }
}

}  // namespace atl::runtime
