#!/bin/bash
# Written by `atoll submit`: {nodes} hosts.
{options}
cd {directory} || exit 1
# Starts programs on the other hosts by PBS where it can, else by ssh.
command -v pbs_tmrsh >/dev/null && export ATOLL_LAUNCH_AGENT=pbs_tmrsh
hosts=$(awk '!seen[$0]++' "$PBS_NODEFILE" | paste -s -d, -)
exec {start}
