"""Everything that is printed: tables for a terminal, plain rows for a pipe, or JSON."""

import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_UNBOUNDED: Final = 100_000
_ELLIPSIS: Final = "…"

Alignment = Literal["left", "right"]


def clean(text: str) -> str:
    """Return the text as one line without characters that steer a terminal."""
    return "".join(each if each.isprintable() else " " * each.isspace() for each in text)


def clean_lines(text: str) -> str:
    """Return the text without characters that steer a terminal, its lines kept."""
    return "\n".join(map(clean, text.split("\n")))


def short(text: str, width: int) -> str:
    """Return the text in at most `width` characters; what tells ids apart stands at both ends."""
    cleaned = clean(text)
    if len(cleaned) <= width:
        return cleaned
    head = (width - 1) * 2 // 3
    return f"{cleaned[:head]}{_ELLIPSIS}{cleaned[len(cleaned) - (width - 1 - head) :]}"


def share(part: int, whole: int) -> str:
    """Return a part of a whole in per cent."""
    if not whole:
        return "-"
    return "<1 %" if 0 < part < whole / 200 else f"{100 * part / whole:.0f} %"


def shares(rows: Sequence[Mapping[str, Any]], whole: int) -> str:
    """Return what each named part is of a whole."""
    return ", ".join(f"{each['name']} {share(each['tokens'], whole)}" for each in rows)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, how its cells stand, and whether they may be cut."""

    heading: str
    align: Alignment = "left"
    style: str = ""
    shrinks: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a command prints: standard output for its result, standard error for all else.

    Args:
        as_json: The result is JSON, and so is each line on standard error.
        quiet: Nothing but the result and errors.
        result_taken: Standard output holds a session, so that what is said goes beside it.
    """

    as_json: bool = False
    quiet: bool = False
    result_taken: bool = False

    @property
    def talks(self) -> bool:
        """Whether there is something to say to a person."""
        return not (self.as_json or self.quiet)

    def say(self, *items: RenderableType) -> None:
        """Print what a person reads."""
        if self.talks:
            _print(items, to_error=self.result_taken)

    def note(self, message: str) -> None:
        """Print a hint beside the result."""
        if self.talks:
            _print([Text(clean_lines(message), style="dim")], to_error=True)

    def warn(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        """Print a warning; what was asked for is done all the same."""
        if self.quiet:
            return
        if self.as_json:
            warning = {"code": code, "message": message, "details": dict(details or {})}
            write_json_line({"schema": "turnfold.warning/1", "warning": warning}, to_error=True)
        else:
            label = Text("Warning: ", style="bold yellow")
            _print([label.append(clean_lines(message), style="not bold default")], to_error=True)

    def fail(self, record: Mapping[str, Any]) -> None:
        """Print an error, as `_errors.record_of` gives it."""
        if self.as_json:
            write_json_line(record, to_error=True)
        else:
            label = Text("Error: ", style="bold red")
            message = clean_lines(record["error"]["message"])
            _print([label.append(message, style="not bold default")], to_error=True)

    def give(self, record: Mapping[str, Any]) -> None:
        """Write the result as JSON, where JSON was asked for."""
        if self.as_json:
            write_json_line(record, to_error=self.result_taken)


def write_json_line(record: Mapping[str, Any], *, to_error: bool = False) -> None:
    """Write one object on one line, in ASCII, so that no terminal is steered by it."""
    stream = sys.stderr if to_error else sys.stdout
    stream.write(json.dumps(record, ensure_ascii=True, allow_nan=False) + "\n")


def write_text(text: str) -> None:
    """Write text as it is into a pipe, and without what steers it on a terminal."""
    sys.stdout.write(clean_lines(text) if sys.stdout.isatty() else text)


def facts(rows: Sequence[tuple[str, str | Text]]) -> RenderableType:
    """Return names and values, aligned."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, value if isinstance(value, Text) else clean(value))
    return Padding(grid, (0, 0, 0, 2), expand=False)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table without lines: one row a line, cut where the terminal ends and nowhere else."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Text]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Let rich find the room on a terminal; a pipe has all there is, and rich is slow."""
        if options.max_width < _UNBOUNDED:
            yield Padding(self._fitted(), (0, 0, 0, 2), expand=False)
        else:
            yield Text("\n".join(self._plain()), no_wrap=True, overflow="ignore")

    def _fitted(self) -> Table:
        body = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        for column in self.columns:
            body.add_column(
                column.heading,
                justify=column.align,
                style=column.style,
                no_wrap=not column.shrinks,
            )
        for row in self.rows:
            body.add_row(*row)
        return body

    def _plain(self) -> Iterator[str]:
        headings = [column.heading for column in self.columns]
        table = [headings, *([cell.plain for cell in row] for row in self.rows)]
        widths = [max(map(cell_len, cells)) for cells in zip(*table, strict=True)]
        for row in table:
            line = ""
            for cell, width, column in zip(row, widths, self.columns, strict=True):
                gap = " " * (width - cell_len(cell))
                line += "  " + (gap + cell if column.align == "right" else cell + gap)
            yield line


def table(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[str | Text]]
) -> RenderableType:
    """Return a table under a heading, in which a row is a line."""
    return Group(heading(title), _Rows(columns, [list(map(_cell, row)) for row in rows]))


def _cell(value: str | Text) -> Text:
    """Return a cell on one line, which ends in an ellipsis where there is no room for it."""
    text = value if isinstance(value, Text) else Text(clean(value))
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def heading(text: str) -> Text:
    """Return a heading."""
    return Text(clean(text), style="bold")


def verdict(tokens: int, limit: int) -> Text:
    """Return whether that many tokens fit, and by how much."""
    if tokens > limit:
        over = f"{limit:,}: over by {count(tokens - limit, 'token')}"
        return Text(over, style="bold red")
    return Text(f"{limit:,}: fits, {count(limit - tokens, 'token')} to spare", style="green")


def _print(items: Sequence[RenderableType], *, to_error: bool) -> None:
    """Print for the stream at hand: no colours in a pipe, and lines as long as they are."""
    stream = sys.stderr if to_error else sys.stdout
    outer = Console(file=stream, highlight=False, markup=False, emoji=False)
    bounded = outer.is_terminal
    buffer = io.StringIO()
    inner = Console(
        file=buffer,
        force_terminal=bounded,
        color_system=outer.color_system if bounded else None,  # type: ignore[arg-type]
        no_color=outer.no_color,
        legacy_windows=False,
        width=outer.width if bounded else _UNBOUNDED,
        safe_box=True,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for item in items:
        inner.print(item, soft_wrap=isinstance(item, Text) and not bounded)
    stream.write("".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines()))
