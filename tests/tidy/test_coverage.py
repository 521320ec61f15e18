# SPDX-License-Identifier: Apache-2.0
"""`make coverage`: how its reports count lines."""

import coverage_report as coverage


def report(file, counts):
    """A report of gcov on one object, with the count of each line."""
    lines = [{"line_number": number, "count": count} for number, count in counts.items()]
    return {"current_working_directory": str(coverage.ROOT), "files": [{"file": file, "lines": lines}]}


def test_a_line_of_several_objects_counts_once_and_is_executed_if_it_was_in_one():
    found = {}
    coverage.add_report(found, report("src/base/include/atoll/base/clock.hpp", {1: 0, 2: 0, 3: 0}))
    coverage.add_report(found, report("src/base/include/atoll/base/clock.hpp", {1: 0, 2: 7}))
    assert found == {"src/base/include/atoll/base/clock.hpp": {1: False, 2: True, 3: False}}


def test_lines_outside_of_src_do_not_count():
    found = {}
    coverage.add_report(found, report("tests/base/clock_test.cpp", {1: 1}))
    coverage.add_report(found, report("/usr/include/c++/12/vector", {1: 1}))
    assert found == {}


def test_the_table_adds_up_by_layer_and_package():
    found = {
        "src/base/clock.cpp": {1: True, 2: False},
        "src/base/include/atoll/base/clock.hpp": {1: True, 2: True},
        "python/atoll/io/csv/read.py": {1: False},
    }
    rows = [row.split() for row in coverage.table(found)]
    assert [(row[0], row[1], row[3], row[5]) for row in rows] == [
        ("python/atoll/io", "0", "1", "0.0%"),
        ("src/base", "3", "4", "75.0%"),
        ("all", "3", "5", "60.0%"),
    ]
