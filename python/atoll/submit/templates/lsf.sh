#!/bin/bash
# Written by `atoll submit`: {nodes} hosts.
{options}
cd {directory} || exit 1
export ATOLL_LAUNCH_AGENT=blaunch
hosts=$(awk '!seen[$0]++' "$LSB_DJOB_HOSTFILE" | paste -s -d, -)
exec {start}
