# SPDX-License-Identifier: Apache-2.0
"""The process of one SIMD level (`levels`): sets a case up, and runs one trial for each line of its input."""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any

from atoll.bench import BenchError, registry
from atoll.bench.registry import Request, Setup
from atoll.bench.runner import check_answers, observed, set_up, wanted_contenders
from atoll.bench.timing import one_turn, repeats_of


def main() -> None:
    # Answers go to the original standard output; output of contenders goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**fields: Any) -> None:
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    job = json.loads(sys.stdin.readline())
    case, request, setup = registry.load()[job["case"]], Request(**job["request"]), Setup(**job["setup"])
    try:
        data = case.make(request)
        ready, skipped = set_up(case, wanted_contenders(case, job["against"]), data, setup)
        if not ready:
            raise BenchError("no contender can run. " + "; ".join(f"{name}: {why}" for name, why in skipped.items()))
        checksums = check_answers(case, data, ready)
        moved, phases = observed(data, ready, setup)
    except BenchError as error:
        answer(error=str(error))
        return
    repeats = repeats_of(ready)
    gc.collect()
    gc.disable()
    answer(bytes=case.nominal_bytes(data), checksums=checksums, skipped=skipped, moved=moved, phases=phases)
    for _ in sys.stdin:
        answer(seconds=one_turn(ready, repeats))


if __name__ == "__main__":
    main()
