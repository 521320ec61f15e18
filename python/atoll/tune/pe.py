# SPDX-License-Identifier: Apache-2.0
"""Program of the PEs of `atoll tune`: `python -m atoll.tune.pe COLLECTIVES SIZES`; PE 0 prints JSON lines."""

from __future__ import annotations

import json
import sys

from atoll import _core
from atoll.shmem._library import symmetric

#: Reductions by it differ in their last bits from those by the others: results must not depend on a table.
OTHER_ORDER = {("allreduce", "ring")}
#: They are others by other names where a node has all members, or one.
TWO_LEVELS = ("hierarchical", "columns")
#: Of all members' data together on one member.
MOST_BYTES = 64 << 20
#: Sizes are of each block, and only two members know them: a table has one line for all.
UNKNOWN_SIZES = ("gatherv", "scatterv", "alltoallv")
#: The block that stands for them.
SOME_BYTES = 1024


def main(collectives: list[str], sizes: list[int]) -> None:
    """Measures every algorithm at every size."""
    team = symmetric().team_world()
    pes, me = team.size, team.rank
    nodes = len(set(team.nodes()))
    plan = []
    for name in collectives:
        many = name.startswith(("gather", "scatter", "allgather", "alltoall"))
        own_sizes = [8] if name == "barrier" else [SOME_BYTES] if name in UNKNOWN_SIZES else sizes
        for size in own_sizes:
            if size * (pes if many else 1) <= MOST_BYTES:
                left_out = TWO_LEVELS if nodes in (1, pes) else ()
                known = _core.sim_collectives()[name]
                algorithms = [one for one in known if (name, one) not in OTHER_ORDER and one not in left_out]
                plan += [(name, algorithm, size) for algorithm in ["auto", *algorithms]]
    for done, (name, algorithm, size) in enumerate(plan, 1):
        seconds = team.time_collective(name, algorithm, size)
        # Tables count what all members give together where each knows it.
        counted = size * pes if name == "allgatherv" else size
        if me == 0:
            line = {"collective": name, "algorithm": algorithm, "bytes": counted, "seconds": seconds}
            print(json.dumps({**line, "nodes": nodes, "done": done, "total": len(plan)}), flush=True)
    if me == 0:
        print(json.dumps({"end": True}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1].split(","), [int(word) for word in sys.argv[2].split(",")])
