# SPDX-License-Identifier: Apache-2.0
"""Text of separated values without what the parser has no rule for: comments, lines to skip, spaces behind separators.

The text is decoded, rewritten once and parsed on all PEs, as a stream is. So it has to fit into this process' memory.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Sequence
from typing import Any

from ...io.csv.dialect import Dialect, compression_of, opened
from ...storage.places import place_of
from ...storage.source import reading

#: Characters of the private use area: they mark comments, and take the place of quoted values.
_COMMENT, _OPEN, _CLOSE = "\ue000", "\ue001", "\ue002"
_MARKS = re.compile(f"[{_COMMENT}{_OPEN}{_CLOSE}]")
_UTF8 = ("utf-8", "utf8", "utf-8-sig")


def requests_rewriting(told: dict[str, Any], leading: int) -> bool:
    """Whether parameters of `read_csv` need other text. `leading`: how many lines are skipped in front, -1: others."""
    return (
        isinstance(told["comment"], str)
        or told["skipinitialspace"] is True
        or leading < 0
        or bool(told["skipfooter"])
        or has_several_names(told["header"])
        or (isinstance(told["encoding_errors"], str) and told["encoding_errors"] != "strict")
        or not _is_utf8(told["encoding"])
    )


def can_be_rewritten(where: object, told: dict[str, Any]) -> bool:
    """Whether the rewritten text has the meaning that pandas gives to the parameters."""
    sep, comment, header = told["delimiter"] or told["sep"], told["comment"], told["header"]
    return (
        (isinstance(where, str) or hasattr(where, "read") or hasattr(where, "__fspath__"))
        and isinstance(sep, str)
        and len(sep) == 1
        and told["skip_blank_lines"] is True
        and told["escapechar"] is None
        and told["storage_options"] is None
        and not isinstance(told["compression"], dict)
        and (comment is None or (isinstance(comment, str) and len(comment) == 1 and comment not in (sep, '"')))
        and _is_codec(told["encoding"])
        and _has_usual_footer(told)
        and (told["skiprows"] is None or callable(told["skiprows"]) or _are_numbers(told["skiprows"]))
        and (not has_several_names(header) or _has_usual_names(told))
    )


def rewritten(where: Any, told: dict[str, Any]) -> tuple[io.BytesIO, dict[str, Any], Any]:
    """The text as a stream in UTF-8, the parameters that are left, and labels of several levels, if there are."""
    lines = _lines(_without_marks(_text(where, told), told), told)
    left = {**told, "comment": None, "skipinitialspace": False, "skiprows": 0, "skipfooter": 0, "encoding": "utf-8"}
    left |= {"encoding_errors": "strict", "compression": None}
    labels = None
    if has_several_names(told["header"]):
        import pandas

        behind = max(told["header"]) + 1
        options = {name: told[name] for name in ("quotechar", "quoting")}
        head = io.StringIO("\n".join(lines[:behind]) + "\n")
        labels = pandas.read_csv(
            head, header=list(told["header"]), nrows=0, sep=told["delimiter"] or told["sep"], **options
        ).columns
        lines = lines[behind:]
        left |= {"header": None, "names": [str(place) for place in range(len(labels))]}
    return io.BytesIO("\n".join([*lines, ""]).encode()), left, labels


def has_several_names(header: object) -> bool:
    """Whether columns have labels of several levels, one line each."""
    return isinstance(header, (list, tuple)) and len(header) > 1


def _has_usual_names(told: dict[str, Any]) -> bool:
    """Whether no other parameter names columns."""
    plain = all(type(one) is int and one >= 0 for one in told["header"])
    named = ("names", "usecols", "converters", "dtype", "parse_dates")
    return plain and told["index_col"] is None and all(told[name] in (None, False) for name in named)


def _has_usual_footer(told: dict[str, Any]) -> bool:
    """Whether lines are skipped at the end of a file that is read whole, and has names in its first line, or none."""
    footer, whole = told["skipfooter"], told["nrows"] is None and told["chunksize"] is None and not told["iterator"]
    return footer == 0 or (type(footer) is int and footer > 0 and whole and told["header"] in ("infer", 0, None))


def _are_numbers(skiprows: Any) -> bool:
    return isinstance(skiprows, int) or all(isinstance(one, int) and one >= 0 for one in skiprows)


def _is_utf8(encoding: Any) -> bool:
    return str(encoding or "utf-8").lower().replace("_", "-") in _UTF8


def _is_codec(encoding: Any) -> bool:
    try:
        codecs.lookup(str(encoding or "utf-8"))
    except LookupError:
        return False
    return True


def _text(where: Any, told: dict[str, Any]) -> str:
    """The whole text, lines ending with a line feed."""
    place = place_of(where, (".csv", ".tsv", ".txt"))
    if len(place.files) != 1:
        raise NotImplementedError("text of several files is not rewritten")
    file = place.files[0]
    plain = Dialect(compression=compression_of(file, told["compression"]))
    with reading(file), opened(place, file, plain) as source:
        data = bytes(source.read())
    encoding = "utf-8-sig" if _is_utf8(told["encoding"]) else str(told["encoding"])
    text = data.decode(encoding, told["encoding_errors"] or "strict")
    if _MARKS.search(text):
        raise NotImplementedError("characters of the private use area mark comments and quoted values here")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _without_marks(text: str, told: dict[str, Any]) -> tuple[str, Sequence[str]]:
    """The text without comments and spaces behind separators, and the quoted values that are left out of it."""
    comment, sep = told["comment"], re.escape(told["delimiter"] or told["sep"])
    quote = None if told["quoting"] == 3 or told["quotechar"] is None else re.escape(told["quotechar"])
    spaces = " *" if told["skipinitialspace"] else ""
    quoted: list[str] = []
    if quote is not None and told["quotechar"] in text:
        value = f"(?P<quoted>(?:\\A|(?<=[{sep}\n])){spaces}{quote}(?:[^{quote}]|{quote}{quote})*{quote}?)"
        remark = "" if comment is None else f"(?P<remark>{re.escape(comment)}[^\n]*)|"

        def held(found: re.Match[str]) -> str:
            if found["quoted"] is None:
                return _mark(found, text)
            quoted.append(found["quoted"].lstrip(" "))
            return f"{_OPEN}{len(quoted) - 1}{_CLOSE}"

        text = re.sub(remark + value, held, text)
    elif comment is not None:
        whole = text
        text = re.sub(f"{re.escape(comment)}[^\n]*", lambda found: _mark(found, whole), text)
    if spaces:
        text = re.sub(f"(\\A|[{sep}\n]) +", r"\1", text)
    return text, quoted


def _mark(found: re.Match[str], text: str) -> str:
    """What is left of a comment: nothing, or in a line of its own a mark, because that line has no values."""
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    if before.isspace():
        raise NotImplementedError("spaces before a comment are a row of missing values in pandas")
    return "" if before else _COMMENT


def _lines(held: tuple[str, Sequence[str]], told: dict[str, Any]) -> list[str]:
    """Lines that are neither blank nor skipped, by their numbers or at the end, their quoted values in place again."""
    text, quoted = held
    lines = text.split("\n")
    if told["skiprows"]:
        skips = _test_of(told["skiprows"])
        lines = [line for number, line in enumerate(lines) if not skips(number)]
    if told["skipfooter"]:
        lines = _without_footer(lines, told)
    lines = list(filter(_has_values, lines))
    if not quoted:
        return lines
    place = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
    return [place.sub(lambda found: quoted[int(found[1])], line) if _OPEN in line else line for line in lines]


def _has_values(line: str) -> bool:
    return bool(line) and _COMMENT not in line and not line.isspace()


def _without_footer(lines: list[str], told: dict[str, Any]) -> list[str]:
    """Lines without some at the end, blank ones among them; the line of names, if there is one, always stays."""
    named = told["header"] == 0 or (told["header"] == "infer" and told["names"] is None)
    first = next((number + 1 for number, line in enumerate(lines) if _has_values(line)), 0) if named else 0
    end = len(lines) - told["skipfooter"] - (not lines[-1])  # behind the last line feed is no line
    return lines[: max(first, end)]


def _test_of(skiprows: Any) -> Callable[[int], Any]:
    if callable(skiprows):
        return skiprows
    if isinstance(skiprows, int):
        return lambda number: number < skiprows
    return set(skiprows).__contains__
