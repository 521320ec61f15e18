#!/bin/bash
# Written by `atoll submit`: {nodes} hosts.
{options}
cd {directory} || exit 1
export ATOLL_LAUNCH_AGENT={agent}
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -s -d, -)
exec {start}
