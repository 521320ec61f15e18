# SPDX-License-Identifier: Apache-2.0
"""The compiled engine: sessions, lazy expressions and the operations on them. Private.

Python owns validation of arguments, dtype promotion, views and docstrings; this module owns shapes, memory,
evaluation and communication. In an SPMD session every function that evaluates is collective: all PEs call it
in the same order. Dtypes are the codes in `DTYPES`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .session.recovery import Report

DTYPES: dict[str, int]  # "bool": 0, "int8": 1, … "float64": 10
OPS: dict[str, int]  # NumPy ufunc name (and "where", "cast") -> code
# The same names -> operands, kinds of dtype there are loops for ("biuf"), dtype of the result ("": as the loop's)
LOOPS: dict[str, tuple[int, str, str]]
VERSION: str

class PeFailedError(RuntimeError): ...

class Session:
    """One engine: this process (embedded), one PE of a job (spmd), or PE 0 driving workers (driver)."""

    kind: str  # "embedded" | "spmd" | "driver"
    pe: int
    pes: int
    threads: int  # per PE
    closed: bool
    failed: bool
    def shutdown(self) -> None: ...
    def barrier(self) -> None: ...
    def stats(self) -> dict[str, int]:
        """Bytes in use, peak and pooled, bytes put, got and sent by this PE, commands executed. Keys:
        memory_in_use, memory_peak, memory_pooled, memory_limit, bytes_put, bytes_got, bytes_sent, messages, commands."""
    def moved_bytes(self) -> int:
        """Bytes that all PEs have put, got and sent. Collective in an SPMD session."""
    def set_monitor(self, callback: Callable[[str, int, int], None] | None) -> None:
        """callback(operation, done, total) from the calling thread, at most every 50 ms, in operations that run longer
        than a second; total is 0 when it is not known, and done == total at the end. KeyboardInterrupt is seen between
        pieces of work whether or not a callback is set."""
    resilience: str  # "off" | "process"
    def set_recovery_listener(self, listener: Callable[[Report], object]) -> None:
        """listener(report) after each death that a session has survived; see session/recovery.py. What it raises, the call
        raises that met the death. Does nothing where resilience is off."""
    def recoveries(self) -> list[Report]:
        """The reports so far."""
    # -- SPMD sessions that survive deaths --
    def keep(self, number: int, note: bytes, arrays: Sequence[Expr]) -> None:
        """Keeps the state of a program, in the place of that of a lower number. Collective."""
    def kept(self) -> tuple[int, bytes, list[Expr]]:
        """The newest state: number (0: none), note and arrays."""
    def recover(self) -> Report:
        """Goes back to the newest state that all PEs have kept, with new processes for dead PEs. Collective."""
    def pids(self) -> list[int]:
        """Processes of the workers of a driver, from PE 1 on; 0: one that has just died."""
    def set_locator(self, locator: Callable[[], str]) -> None:
        """locator() tells where this PE's program is, for errors of SPMD sessions; empty: at its end."""
    def watch_every_poll(
        self, callback: Callable[[str], object] | None, while_waiting: Callable[[str], object] | None = None
    ) -> None:
        """For tests: callback(operation) at every look of a kernel for an interrupt, while_waiting(operation) now and then
        while this PE waits for others. What they raise is an interrupt."""
    def trim(self) -> None:
        """Gives pooled memory back to the system."""

    def noop(self) -> None:
        """One command to every PE and back: the round trip of the session."""

def start_embedded(threads: int = 0) -> Session: ...
def in_job() -> bool:
    """Whether a launcher started this process as one PE of several: `atoll run`, srun, mpiexec, prterun."""

def job_pe() -> int | None: ...
def join_job(members: Sequence[int] = ..., survives: bool = False) -> Session:
    """This process becomes the PE that its launcher says it is. `survives`: the PEs go on when one has died."""

def replaced_place() -> tuple[int, int, int] | None:
    """In a process that takes the place of a dead PE and has not joined yet: its number, the number of PEs, and that of
    the state from which they go on."""

def start_driver(pes: int, threads: int, worker_argv: Sequence[str], survives: bool = False) -> Session:
    """This process becomes PE 0; PEs 1 … pes-1 run `worker_argv`, which must call `worker_main`. `survives`: the death of
    workers does not end the session."""

def drive_job(agent: int, npes: int, threads: int) -> Session:
    """This process becomes PE 0 of a job that a launcher has started for it; `agent` is a socket to its agent, which the
    session owns. The other PEs must call `worker_main`."""

class ParquetFooter:
    """The row groups of a Parquet file's footer. ValueError, with row group and column, where it says what no file of `size` bytes has."""

    def __init__(self, footer: bytes, size: int) -> None: ...
    @property
    def groups(self) -> list[tuple[int, int]]:
        """Bytes and rows of each."""

    def chunk(
        self, group: int, column: int
    ) -> tuple[str, str, bool, bool, int, int, int, int, tuple[int, int], tuple[int, int]]:
        """Of a leaf of the schema: physical type, codec, whether the engine decodes its pages' encodings, whether there is a
        dictionary, where its first page is, its bytes there, and unpacked, where its Bloom filter is, or 0, and of the indexes
        of where its pages are and of what is in them places and bytes, 0 bytes where there is none."""

def sum_orc_lengths(stream: bytes, version: int, count: int) -> int:
    """The sum of the first `count` lengths of an unpacked stream of ORC's runs, 2**62 at most. ValueError where it is broken."""

class Landing:
    """What a program gets: rows of arrays, and a place to leave rows of columns. Of no use once it has returned."""

    def add(self, column: int, place: int, array: Any) -> None:
        """Rows of a column, of what has `__arrow_c_array__`; see `session.everywhere.landed`. Any thread."""

    def add_parquet(self, parts: list[tuple[Any, ...]], wanted: np.ndarray[Any, Any] | None) -> None:
        """Chunks of Parquet files with plain and dictionary pages, decoded on all threads; where it is known how many rows there are.

        Each part: column, its first row, where its chunk is (file, offset, bytes, physical type, Snappy or not, optional
        or not, rows), its name in errors, what decimals are divided by to become floats (or 0), codes of its words where
        its texts become such, and which rows are wanted (None: all): from where to where in `wanted`, whose numbers
        ascend, and the number of the chunk's first row.
        """

    def add_values(self, parts: list[tuple[int, int, int, str, int, str]]) -> None:
        """Numbers that lie in files as they do in memory, read by all threads; where it is known how many rows there are.

        Each part: column, its first row, how many rows, file, where in it the first one begins, and its name in errors.
        """

    def parquet_words(self, parts: list[tuple[Any, ...]]) -> list[list[bytes] | None]:
        """The words of chunks of texts (each: where it is, as above, and its name), None of those that have other texts."""

    def rows(self) -> list[np.ndarray[Any, Any]]: ...
    def stats(self) -> dict[str, int]:
        """This PE's counters, as those of a session."""
    def watch_every_poll(self, callback: Callable[[str], object] | None) -> None:
        """For tests: callback(operation) at every look of this PE's kernels for an interrupt, from now on."""
    pe: int
    @property
    def interrupted(self) -> bool:
        """Whether an interrupt of any PE is to end the running operation."""

def set_program(program: Callable[[bytes, Landing], bytes]) -> None:
    """What this process answers to the requests of `run_everywhere`: bytes of which the first is 0 when all went well."""

def run_everywhere(
    session: Session, request: bytes, inputs: Sequence[Expr | Texts], kinds: Sequence[int], rows: Sequence[int]
) -> tuple[list[bytes], list[tuple[Any, Expr | None]]]:
    """Every PE's answer, and columns of the rows that they left: values and validity. A code of dtype -1 means texts.

    `rows`: how many each PE leaves; none when that is not known; [-1]: as many as it has of the first input.
    """

def worker_main() -> None:
    """Executes the driver's commands until it shuts down."""

class Symmetric:
    """Symmetric memory over the session's own runtime; what `atoll.shmem` stands on. Arrays are given by the buffer protocol."""

    pe: int
    npes: int
    blocks: int
    def allocate(self, bytes: int) -> np.ndarray[Any, Any]:
        """Collective: zeroed bytes at the same offset on every PE, freed once every PE has released them."""

    def free(self, array: np.ndarray[Any, Any]) -> None: ...
    def is_symmetric(self, array: np.ndarray[Any, Any]) -> bool: ...
    def put(self, dest: np.ndarray[Any, Any], source: np.ndarray[Any, Any], pe: int) -> None: ...
    def get(self, dest: np.ndarray[Any, Any], source: np.ndarray[Any, Any], pe: int) -> None: ...
    def fetch(self, source: np.ndarray[Any, Any], index: int, pe: int) -> Any: ...
    def swap(self, dest: np.ndarray[Any, Any], value: Any, index: int, pe: int) -> Any: ...
    def compare_swap(self, dest: np.ndarray[Any, Any], expected: Any, value: Any, index: int, pe: int) -> Any: ...
    def fetch_and_change(self, operation: int, dest: np.ndarray[Any, Any], value: Any, index: int, pe: int) -> Any:
        """`operation` 0: add, 1: and, 2: or, 3: xor."""

    def put_signal(
        self,
        dest: np.ndarray[Any, Any],
        source: np.ndarray[Any, Any],
        signal: np.ndarray[Any, Any],
        index: int,
        value: int,
        add: bool,
        pe: int,
    ) -> None: ...
    def wait_until(self, array: np.ndarray[Any, Any], compare: int, value: Any, index: int, seconds: float) -> bool:
        """Negative seconds: for ever."""

    def fence(self) -> None: ...
    def quiet(self) -> None: ...
    def barrier(self) -> None: ...
    def set_lock(self, word: np.ndarray[Any, Any]) -> None: ...
    def test_lock(self, word: np.ndarray[Any, Any]) -> bool: ...
    def clear_lock(self, word: np.ndarray[Any, Any]) -> None: ...
    def team_world(self) -> Team: ...
    def close(self) -> None: ...

class Team:
    rank: int
    size: int
    def split(self, ranks: Sequence[int]) -> Team | None: ...
    def destroy(self) -> None: ...
    def translate(self, rank: int, other: Team) -> int: ...
    def nodes(self) -> list[int]: ...
    def time_collective(self, collective: str, algorithm: str, bytes: int) -> float:
        """Collective: seconds of a call, of the slowest member."""

    def sync(self) -> None: ...
    def broadcast(self, array: np.ndarray[Any, Any], root: int) -> None: ...
    def fcollect(self, dest: np.ndarray[Any, Any], source: np.ndarray[Any, Any]) -> None: ...
    def counts(self, mine: int) -> list[int]: ...
    def collect(self, dest: np.ndarray[Any, Any], source: np.ndarray[Any, Any], counts: Sequence[int]) -> None: ...
    def alltoall(self, dest: np.ndarray[Any, Any], source: np.ndarray[Any, Any]) -> None: ...
    def reduce(self, how: int, op: int, dest: np.ndarray[Any, Any], source: np.ndarray[Any, Any]) -> None:
        """`how` 0: reduce, 1: inclusive scan, 2: exclusive scan."""

def join_symmetric(session: Session) -> Symmetric: ...

# -- columns of texts --

class Texts:
    """A handle on a distributed column of texts."""

    rows: int
    session: Session
    nbytes: int

def text_from_objects(
    session: Session, values: Sequence[Any], missing: Any
) -> tuple[Texts, np.ndarray[Any, Any] | None]:
    """Of strings; None, NaN and `missing` are missing: then with bools that say which are there."""

def text_from_padded(session: Session, values: np.ndarray[Any, Any]) -> tuple[Texts, None]:
    """Of rows of bytes (uint8) or code points (uint32), padded by zeros."""

def text_from_buffers(
    session: Session, offsets: np.ndarray[Any, Any], bytes: np.ndarray[Any, Any], owner: Any, binary: bool = False
) -> Texts:
    """Unless `binary`, bytes that are not UTF-8 raise ValueError."""

def text_buffers(x: Texts) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Offsets and bytes, which must not be changed."""

def text_to_objects(
    offsets: np.ndarray[Any, Any], bytes: np.ndarray[Any, Any], valid: np.ndarray[Any, Any] | None, null: Any
) -> list[Any]: ...
def text_take(x: Texts, rows: Expr) -> Texts: ...
def text_slice(x: Texts, start: int, step: int, count: int) -> Texts: ...
def text_concatenate(parts: Sequence[Texts]) -> Texts: ...
def text_where(mask: Expr, yes: Texts, no: Texts) -> Texts: ...
def text_runs(x: Texts, starts: Expr, lengths: Expr) -> Texts:
    """Texts that stand side by side as one: each row `lengths` texts from `starts` on, where the row before ends."""

def limb_apply(operation: str, a: Sequence[Expr], b: Sequence[Expr], limbs: int) -> list[Expr]:
    """Whole numbers in two's complement, a uint64 array for each limb, the least significant first."""

def text_argsort(x: Texts) -> Expr: ...
def text_sort(x: Texts) -> Texts: ...
def text_number(x: Texts, numbers: bool) -> tuple[Expr | None, Expr, Texts]:
    """Which of the distinct texts each row has, if wanted; the first row of each of them, and they, ascending."""

def text_compare(a: Texts, b: Texts, how: str) -> Expr: ...
def text_map(x: Texts, name: str, texts: Sequence[bytes], numbers: Sequence[int]) -> Texts: ...
def text_parts(x: Texts, name: str, texts: Sequence[bytes], numbers: Sequence[int]) -> tuple[Expr, Texts]:
    """How many parts each text has, and all of them."""

def text_join(columns: Sequence[Texts], separator: bytes) -> Texts: ...
def text_repeat(x: Texts, counts: Expr) -> Texts: ...
def date_map(values: Expr, name: str, numbers: Sequence[int]) -> Expr: ...
def date_to_text(values: Expr, texts: Sequence[bytes], numbers: Sequence[int]) -> Texts: ...
def text_of_numbers(values: Expr) -> Texts: ...
def scan_records(bytes: np.ndarray[Any, Any], quote: str, delimiter: str) -> list[tuple[int, int]]:
    """For each state of a record in which the bytes may begin, the one in which they end and where the first record begins."""

class Lines:
    """Rows as lines of text."""

    def __init__(self) -> None: ...
    def fill(
        self, columns: Sequence[tuple[Any, Any, Any, bool, str]], json: bool, separator: str, quote: str, missing: str,
        end: str, begin: int, stop: int,
    ) -> None:  # fmt: skip
        """Becomes the rows [begin, stop) of columns: values (of texts bytes), offsets and valid or None, whether texts have
        no special characters, and what stands before each value."""

    @property
    def data(self) -> np.ndarray[Any, Any]:
        """The text, until `fill` is called again."""

class CsvDialect:
    """How text of separated values is written, for the parser."""

    def __init__(
        self, separator: str, quote: str | None, decimal: str, skip_bad: bool, missing: Sequence[str], yes: Sequence[str],
        no: Sequence[str],
    ) -> None: ...  # fmt: skip

class CsvText:
    """Whole records of separated values, in so many bytes of room. Columns' kinds: 0 none, 1 int64, 2 bool, 3 float64, 4 text."""

    def __init__(self, size: int) -> None: ...
    def resize(self, size: int) -> None: ...
    @property
    def room(self) -> np.ndarray[Any, Any]: ...
    def survey(self, quote: str | None, separator: str) -> list[tuple[int, int, int]]:
        """Supposed that the bytes begin where a field may, and inside quotes: the state at the end (-1: look at them one by one),
        where the first record begins, and how many lines end (-1: they are no records)."""

    def parse(self, dialect: CsvDialect, kinds: Sequence[int]) -> tuple[int, int, list[tuple[Any, Any, Any, int]], Any]:
        """Rows, bad lines that were skipped, of each column values, offsets, valid bits and how many are missing, and what is
        wrong (None: nothing): a text, at which byte, and in which column (or None)."""

    def guess(self, dialect: CsvDialect, columns: int) -> tuple[list[int], Any]:
        """Kinds of the columns (0: without values), and what is wrong."""

def text_hash(x: Texts) -> tuple[Expr, Expr]: ...
def text_measure(x: Texts, name: str, texts: Sequence[bytes], numbers: Sequence[int]) -> Expr: ...

class Expr:
    """A handle on a lazy distributed array. The handle is mutable (the assign methods); what it refers to is shared."""

    dtype: int
    shape: tuple[int, ...]
    ndim: int
    size: int
    session: Session
    ready: bool  # already stored in memory
    def evaluate(self) -> None: ...
    def alias(self) -> Expr:
        """A second handle on the same value; assigning to one leaves the other as it was."""
    def item(self) -> bool | int | float:
        """The only element, on every PE. ValueError unless size is 1."""
    def item_at(self, position: int) -> bool | int | float:
        """The element at a position in C order, on every PE, in one command."""
    def to_numpy(self, copy: bool | None) -> np.ndarray[Any, Any]:
        """The whole array on this PE (on every PE in SPMD). copy=False shares memory when there is one PE, and
        raises ValueError when that cannot be done. None: without a copy when there is one PE, to be read only; it
        keeps its values when the array changes."""
    def local(self) -> np.ndarray[Any, Any]:
        """This PE's rows, sharing memory (driver: PE 0's)."""
    def local_range(self) -> tuple[int, int]:
        """First and past-the-last row of this PE."""
    # -- in place: others that share the value keep the old one --
    def assign(self, value: Expr) -> None:
        """The handle now means `value` (same shape and dtype), as `a += 1` needs. Memory shared with NumPy is written."""
    def assign_slice(self, slices: Sequence[tuple[int, int, int]], value: Expr) -> None:
        """self[start::step (count)] = value, one (start, step, count) per axis; value broadcasts and has self's dtype."""
    def assign_mask(self, mask: Expr, value: Expr) -> None:
        """self[mask] = value; mask has self's shape, or is 1-d along axis 0. value: one element, or one per True."""
    def assign_index(self, indices: Expr, value: Expr, add: bool) -> None:
        """self[indices] = value (last wins) or += with repeats counted; int64 indices along axis 0 (negative from the
        end), value broadcasts to indices.shape + self.shape[1:]. IndexError leaves self as it was."""

# -- creation --
def scalar(session: Session, value: bool | int | float, dtype: int) -> Expr:
    """0-d; broadcasts in `apply` without memory."""

def full(session: Session, shape: Sequence[int], dtype: int, value: bool | int | float) -> Expr: ...
def empty(session: Session, shape: Sequence[int], dtype: int) -> Expr: ...
def arange(session: Session, start: int | float, step: int | float, count: int, dtype: int) -> Expr:
    """start + i * step, lazily."""

def from_numpy(session: Session, values: np.ndarray[Any, Any], copy: bool) -> Expr:
    """C-contiguous values of a supported dtype, the same on every PE in SPMD. copy=False shares when there is one PE."""

def from_local(session: Session, rows: np.ndarray[Any, Any]) -> Expr:
    """SPMD: each PE gives some rows, concatenated in PE order."""

def random(
    session: Session,
    kind: str,
    shape: Sequence[int],
    dtype: int,
    key: int,
    counter: int,
    a: float | int,
    b: float | int,
) -> Expr:
    """Element i is a function of (key, counter + i) alone. kinds: "bits" (uint64), "integers" (a <= x < b), "uniform"
    (a <= x < b), "normal" (mean a, deviation b), "exponential" (scale a), "zipf" (exponent a, at most b)."""

def random_law(
    session: Session,
    law: str,
    shape: Sequence[int],
    dtype: int,
    key: int,
    counter: int,
    parameters: Sequence[float],
    arrays: Sequence[Expr | None],
) -> Expr:
    """As `random`, of laws that draw as often as they need: float64, float32 or int64. Parameter k is a number, or, where
    `arrays` has one (float64, of this shape), one for each element."""

# -- elementwise, lazy --
def apply(op: int, compute_dtype: int, result_dtype: int, operands: Sequence[Expr]) -> Expr:
    """Casts operands to compute_dtype (but "where"'s condition to bool and "ldexp"'s exponent to int), broadcasts, applies. ValueError when shapes do
    not broadcast, in NumPy's words."""

def cast(x: Expr, dtype: int) -> Expr: ...
def broadcast_to(x: Expr, shape: Sequence[int]) -> Expr: ...

# -- shape (copies) --
def reshape(x: Expr, shape: Sequence[int]) -> Expr: ...
def reinterpret(x: Expr, dtype: int, shape: Sequence[int]) -> Expr:
    """The same bytes as elements of another type, in a shape of as many bytes."""

def transpose(x: Expr, axes: Sequence[int]) -> Expr: ...
def read_bytes(x: Expr, begin: int, to: np.ndarray[Any, Any]) -> None:
    """Copies bytes of the elements, in C order from byte `begin` on, to an array of uint8 on PE 0 (driver)."""

def write_bytes(x: Expr, begin: int, values: np.ndarray[Any, Any]) -> None:
    """Replaces bytes of the elements, in C order from byte `begin` on, by an array of uint8 of PE 0 (driver). An
    interrupt leaves some of them replaced."""

def get_slice(x: Expr, slices: Sequence[tuple[int, int, int]]) -> Expr:
    """One (start, step, count) per axis, step may be negative; all indices in range."""

def concatenate(parts: Sequence[Expr], axis: int = 0) -> Expr:
    """Same dtype, and the same lengths along the other axes."""

def roll(x: Expr, axis: int, shift: int) -> Expr:
    """Elements shifted cyclically along an axis after the first, by 0 to its length less 1."""

# -- reductions and scans --
def reduce_all(kind: str, x: Expr, dtype: int, keep: bool) -> bool | int | float:
    """kind: sum prod min max argmin argmax any all count_nonzero. `dtype` is the accumulator's. The same value on every PE.
    keep: store x as well, in the same pass. ValueError for min, max, argmin, argmax of nothing."""

def reduce_axes(kind: str, x: Expr, axes: Sequence[int], dtype: int, keep: bool = True) -> Expr:
    """The axes (sorted, non-negative) vanish; the caller reshapes for keepdims. argmin and argmax: one axis.
    keep: store x before; else x is computed in the same pass and not stored."""

def scan(kind: str, x: Expr, axis: int, dtype: int) -> Expr:
    """kind: cumsum cumprod cummax cummin."""

# -- by data (evaluate) --
def compress(x: Expr, mask: Expr) -> Expr:
    """x[mask]: mask of x's shape gives 1-d; a 1-d mask along axis 0 selects rows."""

def flatnonzero(mask: Expr) -> Expr: ...
def take(x: Expr, indices: Expr) -> Expr:
    """x[indices] along axis 0, indices int64 of any shape, negative from the end. IndexError in NumPy's words."""

def searchsorted(table: Expr, values: Expr, side: str) -> Expr: ...
def isin(x: Expr, test: Expr) -> Expr: ...
def histogram(x: Expr, low: float, high: float, bins: int) -> Expr: ...
def histogram_edges(x: Expr, edges: Expr, weights: Expr | None) -> Expr: ...
def bincount(x: Expr, minlength: int, weights: Expr | None) -> Expr: ...

# -- matrices and transforms (evaluate) --
def multiply_matrices(a: Expr, b: Expr) -> Expr:
    """a b, of one dtype: integers wrap around, bools: or of ands."""

def multiply_stacks(a: Expr, b: Expr) -> Expr:
    """The same of matrices in the last two of three axes."""

def fourier(re: Expr, im: Expr | None, axes: Sequence[int], backward: bool, factor: float) -> tuple[Expr, Expr]:
    """Both parts of the Fourier transforms along some axes, each once, times a factor; float32 or float64, which im (None: zeros)
    shares."""

# -- sorting and grouping (evaluate) --
def sort(x: Expr) -> Expr:
    """Along the last axis; NaN last."""

def argsort(x: Expr) -> Expr:
    """Stable, int64, along the last axis."""

def coargsort(keys: Sequence[Expr]) -> Expr:
    """Stable lexicographic order of 1-d keys of one length, the first most significant."""

def unique(x: Expr, index: bool, inverse: bool, counts: bool) -> tuple[Expr, Expr | None, Expr | None, Expr | None]:
    """Sorted distinct values of flattened x; first index, inverse, counts."""

def run_starts(x: Expr) -> Expr:
    """Whether each element of 1-d x differs from the one before it; all NaN are equal."""

def group_by(keys: Sequence[Expr], values: Sequence[Expr], wanted: Sequence[tuple[str, int, int, bool]]) -> list[Expr]:
    """Distinct keys ascending, then per wanted (statistic, column of values, ddof, whether NaN is skipped) a figure for each;
    statistics: size sum mean var std min max bit_and bit_or bit_xor first last, count of floats. Of floats alone NaN is skipped."""

def join_rows(left: Sequence[Expr], right: Sequence[Expr], kind: str) -> list[Expr]:
    """Rows with equal keys; kinds: inner, left (left and right row numbers, -1: none), semi, anti (left row numbers)."""

def key_bits(keys: Sequence[Expr]) -> list[int]:
    """How many bits the values of each key span."""

# -- windows and rows in order; segments (int64, ascending): nothing reaches beyond its row's --
def window(
    x: Expr,
    y: Expr | None,
    segments: Expr | None,
    times: Expr | None,
    figure: str,
    frame: str,
    size: int,
    closed: str,
    centred: bool,
    min_periods: int,
    ddof: int,
    q: float,
    interpolation: str,
) -> Expr:
    """A figure of each row's window, float64; frames: rows, range, expanding; figures: sum mean var std skew kurt min max cov
    corr quantile."""

def cumulate(x: Expr, segments: Expr | None, kind: str, skips_nan: bool) -> Expr:
    """Running figures in x's own type; kinds: sum prod min max. Segments: numbers, or bools that say where they begin."""

def group_places(groups: Expr, count: int) -> Expr:
    """Where each row goes in order of groups, numbers below count."""

def decay(
    x: Expr,
    segments: Expr | None,
    times: Expr | None,
    figure: str,
    adjusted: bool,
    ignore_gaps: bool,
    alpha: float,
    halflife: float,
    min_periods: int,
    bias: bool,
) -> Expr:
    """Exponentially weighted figures: mean var std."""

def asof_rows(
    left: Expr, left_by: Expr | None, right: Expr, right_by: Expr | None, direction: str, exact: bool, tolerance: float
) -> Expr:
    """For each left row a right one, or -1; directions: backward forward nearest. Both sides in order of by and key."""

# -- about the machine --
def config() -> list[tuple[str, str, str, str, str, str]]:
    """Variables: (name, value, default, kind, choices, meaning)."""

def info() -> dict[str, Any]:
    """version, processor, cores, numa (list), memory_bytes, memory_available_bytes, simd, l2_bytes,
    fabrics: {name: "" or why it is missing}, config: [(name, value, default, kind, choices, meaning)]."""

# -- simulated machines --
def sim_run(
    machine: dict[str, int],
    noise_trace: Sequence[tuple[int, int]],
    work: dict[str, Any],
    progress: Callable[[int], None] | None,
) -> dict[str, Any]:
    """A collective on a machine, both by the names of src/sim's Machine and Workload. Other threads of Python run meanwhile."""

def sim_runtime(
    machine: dict[str, int], noise_trace: Sequence[tuple[int, int]], work: dict[str, Any]
) -> dict[str, Any]:
    """A program (work["algorithm"]) of the whole runtime; with start_ps, start_messages, runtime_bytes (of a PE) besides."""

def sim_check(machine: dict[str, int], noise_trace: Sequence[tuple[int, int]], work: dict[str, Any]) -> None:
    """Raises what sim_run() would before anything runs, but for memory that schedules take."""

def sim_collectives() -> dict[str, list[str]]:
    """Collective: its algorithms."""
