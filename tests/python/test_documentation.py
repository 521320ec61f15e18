# SPDX-License-Identifier: Apache-2.0
"""The site's reference names all that is public, and each name has a docstring to show."""

import importlib

import documentation

import atoll as ak


def test_all_public_names_are_in_the_reference(tmp_path):
    names = documentation.sections()
    every = [name for held in names.values() for name in held]
    assert len(every) == len(set(every))
    assert {"atoll.DataFrame", "atoll.argsort", "atoll.read_parquet", "atoll.linalg.solve"} <= set(every)
    assert all(f"atoll.{name}" in every for name in ("Series", "concat", "scan_parquet", "to_zarr", "groupby"))
    dumb = []
    for name in every:
        module, _, member = name.rpartition(".")
        found = getattr(ak if module == "atoll" else importlib.import_module(module), member)
        if not (found.__doc__ or "").strip():
            dumb.append(name)
    assert not dumb
    documentation.write_source(tmp_path / "source", names)
    assert "frames" in (tmp_path / "source" / "index.md").read_text()
    assert "atoll.DataFrame" in (tmp_path / "source" / "reference.rst").read_text()
