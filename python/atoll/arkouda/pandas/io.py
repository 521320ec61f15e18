# SPDX-License-Identifier: Apache-2.0
"""Files as Arkouda names and reads them: `PREFIX_LOCALE0000` and its kin, of Parquet, HDF5, CSV and Zarr."""

from __future__ import annotations

import glob as _glob
import inspect
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import atoll

from ... import extras
from ...columns.column import Column
from ...columns.text.strings import Strings as Texts
from ...io import zarr
from ...io.parquet.reader import parquet_columns, parquet_reader, write_parquet
from ...io.writing import write_alone
from ...storage.filesets import located, replacing_files
from ...storage.places import matching, path_of
from ...storage.session_files import exists, of_files
from ..client_dtypes import IPv4
from ..numpy.arrays import pdarray
from ..numpy.casting import cast
from ..numpy.pdarraycreation import arange, array
from ..numpy.pdarraysetops import concatenate
from ..numpy.segarray import SegArray
from ..numpy.strings import Strings
from ..numpy.timeclass import Datetime, Timedelta
from ..objects import entitled, lift, lower
from .categorical import Categorical
from .csv import read_csv_columns, to_csv_text
from .dataframe import DataFrame
from .filecolumns import of_file
from .groupbyclass import GroupBy
from .hdfobjects import METADATA, datasets_of, read_objects, write_objects
from .index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ColumnType

__all__ = [
    "export", "get_columns", "get_datasets", "get_filetype", "get_null_indices", "import_data", "load", "load_all",
    "ls", "ls_csv", "read", "read_csv", "read_hdf", "read_parquet", "read_tagged_data", "read_zarr",
    "restore", "snapshot", "to_csv", "to_hdf", "to_parquet", "to_zarr", "update_hdf",
]  # fmt: skip

ARKOUDA_HDF5_FILE_METADATA_GROUP = METADATA
_MAGIC = {b"\x89HDF": "HDF5", b"PAR1": "Parquet"}


# -- which files --


def _files(names: Any) -> list[str]:
    """What paths and patterns mean; RuntimeError when there is no such file."""
    found: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if not name.strip():
            raise ValueError("filename cannot be an empty string")
        matches = [name] if exists(name) else of_files(matching, name)
        if not matches:
            raise RuntimeError(f"File {name} does not exist in a location accessible to Arkouda")
        found += matches
    return found


def get_filetype(filenames: str | Sequence[str]) -> str:
    """HDF5, Parquet or CSV, by a file's first bytes."""
    first = _files(filenames if isinstance(filenames, str) else filenames[0])[0]
    return _MAGIC.get(of_files(_first_bytes, first), "CSV")


def _first_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(4)


def ls(filename: str, col_delim: str = ",", read_nested: bool = True) -> list[str]:
    """The names of what is in a file."""
    path = _files(filename)[0]
    kind = get_filetype(path)
    if kind == "CSV":
        return ls_csv(path, col_delim)
    if kind == "HDF5":
        with extras.module("h5py", "reading HDF5").File(path, "r") as file:
            return datasets_of(file)
    schema = parquet_reader(path).schema
    return [one.name for one in schema if read_nested or "list" not in str(one.type)]


def ls_csv(filename: str, col_delim: str = ",") -> list[str]:
    """The names of a CSV file's columns."""
    return list(read_csv_columns(_files(filename)[0], col_delim))


def _first(told: Callable[[str], list[str]], filenames: str | Sequence[str], allow_errors: bool) -> list[str]:
    for name in [filenames] if isinstance(filenames, str) else filenames:
        try:
            found = told(name)
        except RuntimeError:
            if not allow_errors:
                raise
            continue
        if found:
            return found
    raise RuntimeError("Unable to identify datasets.")


def get_datasets(
    filenames: str | Sequence[str], allow_errors: bool = False, column_delim: str = ",", read_nested: bool = True
) -> list[str]:
    """The names of what is in the first file that has some."""
    return _first(lambda name: ls(name, column_delim, read_nested), filenames, allow_errors)


def get_columns(filenames: str | Sequence[str], col_delim: str = ",", allow_errors: bool = False) -> list[str]:
    """The names of the columns of the first CSV file that has some."""
    return _first(lambda name: ls_csv(name, col_delim), filenames, allow_errors)


def _wanted(
    filenames: str | Sequence[str],
    datasets: str | Sequence[str] | None,
    allow_errors: bool = False,
    read_nested: bool = True,
) -> list[str]:
    if datasets is None:
        return get_datasets(filenames, allow_errors, read_nested=read_nested)
    if isinstance(datasets, str):
        return [datasets]
    missing = set(datasets) - set(get_datasets(filenames, allow_errors))
    if missing:
        raise ValueError(f"Dataset(s) not found: {missing}")
    return list(datasets)


def _present(filenames: str | Sequence[str], allow_errors: bool) -> list[str]:
    """The files; those that are not there are told of, or refused."""
    found, faults = [], []
    for name in [filenames] if isinstance(filenames, str) else filenames:
        try:
            found += _files(name)
        except RuntimeError as error:
            if not allow_errors:
                raise
            faults.append(str(error))
    if faults:
        warnings.warn(
            f"There were {len(faults)} errors reading files on the server. Sample error messages {faults}",
            RuntimeWarning,
            stacklevel=3,
        )
    return found


# -- reading --


def read_hdf(
    filenames: str | Sequence[str], datasets: str | Sequence[str] | None = None, iterative: bool = False,
    strict_types: bool = True,
    allow_errors: bool = False,
    calc_string_offsets: bool = False, tag_data: bool = False,
) -> Any:  # fmt: skip
    """Objects of HDF5 files, by name."""
    if iterative and tag_data:
        raise RuntimeError("Cannot tag data with iterative read.")
    names = _wanted(filenames, datasets, allow_errors)
    files = _present(filenames, allow_errors)
    found = read_objects(files, names)
    if tag_data:
        rows = [len(next(iter(read_objects([one], names[:1]).values()))) for one in files]
        found["Filename_Codes"] = _codes(rows)
    return found


def _codes(rows: list[int]) -> pdarray:
    return concatenate([array([place] * count, dtype="int64") for place, count in enumerate(rows)])


def read_parquet(
    filenames: str | Sequence[str], datasets: str | Sequence[str] | None = None, iterative: bool = False,
    strict_types: bool = True,
    allow_errors: bool = False,
    tag_data: bool = False, read_nested: bool = True, has_non_float_nulls: bool = False, null_handling: Any = None,
    fixed_len: int = -1,
) -> Any:  # fmt: skip
    """Columns of Parquet files, by name; each PE reads row groups of its own."""
    if null_handling not in (None, "none", "only floats", "all"):
        raise RuntimeError("null_handling argument only accepts 'none', 'only_floats', or 'all' options")
    if datasets is None and has_non_float_nulls:
        warnings.warn(
            "has_non_float_nulls has been deprecated; use null_handling='all'", DeprecationWarning, stacklevel=2
        )
        if null_handling is not None:
            warnings.warn("has_non_float_nulls is ignored: null_handling is given", UserWarning, stacklevel=2)
    null_handling = null_handling or ("all" if has_non_float_nulls else "only floats")
    if iterative and tag_data:
        raise RuntimeError("Cannot tag data with iterative read.")
    names = _wanted(filenames, datasets, allow_errors, read_nested)
    files = _present(filenames, allow_errors)
    try:
        columns = parquet_columns(files, columns=names)
    except (KeyError, ValueError, OSError) as error:
        raise RuntimeError(str(error)) from error
    found = {name: of_file(name, columns[name], null_handling) for name in names}
    if tag_data:
        found["Filename_Codes"] = _codes([sum(part.rows or 0 for part in parquet_reader(one).parts) for one in files])
    return found


def get_null_indices(filenames: str | Sequence[str], datasets: str | Sequence[str] | None = None) -> Any:
    """Where columns of strings are missing or empty: 1, and 0 elsewhere."""
    names = _wanted(filenames, datasets)
    columns = parquet_columns(_files(filenames), columns=names)
    told = {}
    for name in names:
        column = columns[name]
        if isinstance(column, Texts):
            told[name] = cast(of_file(name, column) == "", "int64")
        else:
            told[name] = cast(lift(column.isna()), "int64") if isinstance(column, Column) else lift(column != column)
    return told


def read_csv(
    filenames: str | Sequence[str],
    datasets: str | Sequence[str] | None = None,
    column_delim: str = ",",
    allow_errors: bool = False,
) -> Any:
    """Columns of CSV files, by name: strings, unless Arkouda's header says what they are."""
    names = [datasets] if isinstance(datasets, str) else datasets
    found: dict[str, list[Any]] = {}
    for path in _present(filenames, allow_errors):
        columns = read_csv_columns(path, column_delim)
        for name in names or columns:
            if name not in columns:
                raise ValueError(f"The dataset {name} was not found in {path}")
            found.setdefault(name, []).append(array(columns[name]) if len(columns[name]) else array([], dtype="str_"))
    if not found:
        raise RuntimeError("Unable to identify datasets.")
    return {name: parts[0] if len(parts) == 1 else concatenate(parts) for name, parts in found.items()}


_READERS: dict[str, Callable[..., Any]] = {"hdf5": read_hdf, "parquet": read_parquet, "csv": read_csv}


def read(
    filenames: Any, datasets: Any = None, iterative: bool = False, strictTypes: bool = True, allow_errors: bool = False,
    calc_string_offsets: bool = False, column_delim: str = ",", read_nested: bool = True,
    has_non_float_nulls: bool = False, fixed_len: int = -1,
) -> Any:  # fmt: skip
    """Objects of files of any of the kinds, by name."""
    kind = get_filetype(filenames).lower()
    if kind == "csv":
        return read_csv(filenames, datasets, column_delim, allow_errors)
    extra = {} if kind == "hdf5" else {"read_nested": read_nested, "has_non_float_nulls": has_non_float_nulls}
    return _READERS[kind](filenames, datasets, iterative, strictTypes, allow_errors, **extra)


def read_tagged_data(
    filenames: str | Sequence[str], datasets: str | Sequence[str] | None = None, *args: object, **options: object
) -> Any:
    """As `read`, and for each row which file it is from."""
    kind = get_filetype(filenames).lower()
    if kind == "csv":
        raise RuntimeError("CSV does not support tagging data with file name associated.")
    files = array(_files(filenames))
    return _READERS[kind](filenames, datasets=datasets, tag_data=True), Categorical.from_codes(
        arange(files.size), files
    )


def load(
    path_prefix: str, file_format: str = "INFER", dataset: str = "array", calc_string_offsets: bool = False,
    column_delim: str = ",",
) -> Any:  # fmt: skip
    """One object of the files that were written under a prefix."""
    if "*" in path_prefix:
        raise ValueError("ak.load() takes no patterns: ak.read() does")
    pattern = located(path_prefix, None)
    kind = get_filetype(pattern) if file_format.lower() == "infer" else file_format
    extra = {"column_delim": column_delim} if kind.lower() == "csv" else {}
    try:
        return _READERS[kind.lower()](pattern, dataset, **extra)
    except ValueError as fault:
        raise RuntimeError(f"{path_prefix}: {fault}") from fault


def load_all(path_prefix: str, file_format: str = "INFER", column_delim: str = ",", read_nested: bool = True) -> Any:
    """All objects of the files that were written under a prefix."""
    first = located(path_prefix)
    if not of_files(matching, located(path_prefix, None)) or not exists(first):
        raise ValueError(f"There are no files corresponding to the path_prefix {path_prefix}")
    names = get_datasets(first, column_delim=column_delim, read_nested=read_nested)
    kind = get_filetype(first) if file_format.lower() == "infer" else file_format
    extra = {"column_delim": column_delim} if kind.lower() == "csv" else {}
    return _READERS[kind.lower()](located(path_prefix, None), names, **extra)


# -- writing --


def _named(columns: Any, names: Any = None, convert_categoricals: bool = False) -> dict[str, Any]:
    if names is not None and len(names) != len(columns):
        raise ValueError("Number of names does not match number of columns")
    things = list(columns.values()) if isinstance(columns, dict) else list(columns)
    if not things:
        raise RuntimeError("No data was found.")
    told = names if names is not None else columns if isinstance(columns, dict) else map(str, range(len(things)))
    if convert_categoricals:
        things = [one.categories[one.codes] if isinstance(one, Categorical) else one for one in things]
    return dict(zip(told, things, strict=True))


def _mode(mode: str) -> bool:
    """Whether what is there stays."""
    if mode.lower() not in ("append", "truncate"):
        raise ValueError("Allowed modes are 'truncate' and 'append'")
    return mode.lower() == "append"


def to_parquet(
    columns: object, prefix_path: str, names: object = None, mode: str = "truncate", compression: str | None = None,
    convert_categoricals: bool = False,
) -> None:  # fmt: skip
    """Writes columns of one length to Parquet files: each PE's rows in one of their own."""
    named = _named(columns, names, convert_categoricals)
    if any(isinstance(one, Categorical) for one in named.values()):
        raise ValueError("to_parquet writes no Categorical columns: convert_categoricals=True writes their texts")
    if _mode(mode):
        warnings.warn("Append has been deprecated when writing Parquet files", DeprecationWarning, stacklevel=2)
        if exists(located(prefix_path)):
            named = read_parquet(located(prefix_path, None)) | named
    stored = {name: _stored(one) for name, one in named.items()}
    rows, pes = max(len(one) for one in stored.values()), atoll.pes()
    block = -(-rows // pes) if rows else 0
    with replacing_files(prefix_path) as prefix:
        for place in range(pes):
            part = {name: one[place * block : (place + 1) * block] for name, one in stored.items()}
            write_parquet(located(prefix, place), part, compression=compression)


def _stored(one: object) -> Any:
    return one._l if isinstance(one, SegArray) else lower(one)


def to_hdf(
    columns: object, prefix_path: str, names: object = None, mode: str = "truncate", file_type: str = "distribute"
) -> None:
    """Writes objects to an HDF5 file, each under its name."""
    named, keep = _named(columns, names), _mode(mode)
    if file_type.lower() == "single":
        write_objects(prefix_path, named, before=prefix_path if keep else None)
    elif file_type.lower() == "distribute":
        _to_located_hdf(prefix_path, named, keep)
    else:
        raise ValueError(f"File Type expected to be 'single' or 'distributed'. Got {file_type}")


def _to_located_hdf(prefix_path: str, named: dict[str, Any], keep: bool, repack: bool = False) -> None:
    """Writes objects to the file of the first PE; with `keep` beside, and in the place of, those of all PEs' files."""
    old = of_files(matching, located(prefix_path, None)) if keep else []
    if len(old) > 1:  # one file has all objects in the end
        named, old = read_hdf(old) | named, []
    with replacing_files(prefix_path) as prefix:
        write_objects(located(prefix), named, before=old[0] if old else None, repack=repack)


def update_hdf(columns: object, prefix_path: str, names: object = None, repack: bool = True) -> None:
    """Puts objects in the place of those that have their names."""
    named = _named(columns, names)
    if of_files(matching, located(prefix_path, None)):
        _to_located_hdf(prefix_path, named, True, repack)
    else:
        write_objects(prefix_path, named, before=prefix_path, repack=repack)


def to_csv(
    columns: object, prefix_path: str, names: object = None, col_delim: str = ",", overwrite: bool = False
) -> None:
    """Writes columns to a CSV file, with a header that says their types."""
    old = of_files(matching, located(path_of(prefix_path), None))
    if old and not overwrite:
        raise RuntimeError(f"{old[0]} exists already, and overwrite is not set")
    content = to_csv_text(_named(columns, names), col_delim).encode()
    with replacing_files(prefix_path) as prefix:
        write_alone(located(prefix), lambda aside: Path(aside).write_bytes(content))


def to_zarr(store_path: str, arr: Any, chunk_shape: Any) -> None:
    """Writes an array of numbers to a Zarr store, in chunks of so many rows."""
    if arr.ndim != len(chunk_shape):
        raise ValueError("The chunk shape must have as many dimensions as the array")
    if str(arr.dtype) not in ("int64", "int32", "float64", "float32"):
        raise ValueError("Only pdarrays of 64 and 32 bit numeric types are supported")
    zarr.to_zarr(store_path, lower(arr), chunks=int(chunk_shape[0]))


def read_zarr(store_path: str, ndim: int, dtype: ColumnType) -> Any:
    """The array of a Zarr store."""
    found = lift(zarr.zarr_values(store_path, None, None))
    if found.ndim != ndim:
        raise ValueError(f"the array has {found.ndim} dimensions, not {ndim}")
    return cast(found, dtype)


# -- pandas' files, and all of a program's objects --


def import_data(read_path: str, write_file: Any = None, return_obj: bool = True, index: bool = False) -> Any:
    """A frame of files that pandas wrote."""
    pd = extras.module("pandas", "reading frames")
    files = _glob.glob(read_path)
    if not files:
        raise FileNotFoundError(f"Invalid read_path, {read_path}. No files found.")
    kind = get_filetype(files[0])
    if kind == "HDF5" and not of_files(os.path.isfile, read_path):
        raise RuntimeError("Pandas HDF5 import takes a file, and no pattern")
    if kind == "CSV":
        raise RuntimeError("Import is only supported for HDF5 and Parquet file formats.")
    frame = pd.read_hdf(read_path) if kind == "HDF5" else pd.concat([pd.read_parquet(one) for one in sorted(files)])
    found = DataFrame(frame)
    if write_file:
        (found.to_hdf if kind == "HDF5" else found.to_parquet)(write_file, index=index)
    return found if return_obj else None


def export(
    read_path: str, dataset_name: str = "ak_data", write_file: Any = None, return_obj: bool = True, index: bool = False
) -> Any:
    """A frame of pandas of files that Arkouda wrote."""
    kind = get_filetype(located(read_path))
    if kind == "CSV":
        raise RuntimeError("Export is only supported for HDF5 and Parquet file formats.")
    frame = DataFrame.load(read_path, file_format=kind).to_pandas(retain_index=index)
    if write_file and kind == "HDF5":
        frame.to_hdf(write_file, key=dataset_name, format="fixed", mode="w", index=index)
    elif write_file:
        frame.to_parquet(write_file, index=index)
    return frame if return_obj else None


def snapshot(filename: str) -> None:
    """Writes all objects that the caller has names for."""
    frame = inspect.currentframe()
    held = {} if frame is None or frame.f_back is None else frame.f_back.f_locals
    kept = {
        name: one
        for name, one in held.items()
        if not name.startswith("__")
        and not isinstance(one, ModuleType)
        and isinstance(one, (pdarray, Categorical, SegArray, Strings, DataFrame, GroupBy))
    }
    to_hdf(kept, f"{filename}_SNAPSHOT")


def restore(filename: str) -> Any:
    """What `snapshot` wrote, by name."""
    return read_hdf(of_files(matching, f"{filename}_SNAPSHOT_LOCALE*"))


# -- the same as methods --


def _bind(kind: type, dataset: str) -> None:
    def write_hdf(
        self: Any, prefix_path: str, dataset: str = dataset, mode: str = "truncate", file_type: str = "distribute"
    ) -> None:
        to_hdf({dataset: self}, prefix_path, mode=mode, file_type=file_type)

    def write_parquet(
        self: Any, prefix_path: str, dataset: str = dataset, mode: str = "truncate", compression: str | None = None,
        convert_categoricals: bool = False,
    ) -> None:  # fmt: skip
        to_parquet({dataset: self}, prefix_path, None, mode, compression, convert_categoricals)

    def write_csv(
        self: Any, prefix_path: str, dataset: str = dataset, col_delim: str = ",", overwrite: bool = False
    ) -> None:
        to_csv({dataset: self}, prefix_path, None, col_delim, overwrite)

    def update(self: Any, prefix_path: str, dataset: str = dataset, repack: bool = True) -> None:
        update_hdf({dataset: self}, prefix_path, repack=repack)

    methods: dict[str, Callable[..., None]] = {
        "to_hdf": write_hdf,
        "to_parquet": write_parquet,
        "to_csv": write_csv,
        "update_hdf": update,
    }
    for name, method in methods.items():
        setattr(kind, name, entitled(method, name, f"See `ak.{name}`."))


for _kind, _dataset in {
    pdarray: "array", Strings: "strings_array", SegArray: "segarray", Categorical: "categorical_array",
    GroupBy: "groupby", Index: "index", IPv4: "array", Datetime: "array", Timedelta: "array",
}.items():  # fmt: skip
    _bind(_kind, _dataset)


def _frame_method(name: str, write: Callable[..., Any]) -> None:
    def method(self: Any, path: str, index: bool = False, columns: object = None, **options: object) -> None:
        data = self._prep_data(index=index, columns=columns)
        write(data, path, **options)

    setattr(DataFrame, name, entitled(method, name, f"See `ak.{name}`, of the frame's columns."))


for _write in (to_hdf, to_parquet, to_csv, update_hdf):
    _frame_method(_write.__name__, _write)


def _load_frame(cls: Any, prefix_path: str, file_format: str = "INFER") -> Any:
    """The frame whose columns were written under a prefix."""
    return cls(load_all(prefix_path, file_format=file_format))


def _read_frame(cls: Any, filename: str, col_delim: str = ",") -> Any:
    """The frame of a CSV file."""
    return cls(read_csv(filename, column_delim=col_delim))


DataFrame.load, DataFrame.read_csv = classmethod(_load_frame), classmethod(_read_frame)
