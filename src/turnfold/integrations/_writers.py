"""What the writers of all frameworks share: there is one, and a prompt too long is told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from turnfold.errors import InvalidConfiguration
from turnfold.fulfil import InputTooLong, Writer
from turnfold.integrations.overflow import overflow_of


def one_writer(
    model: object, write: Writer | None, writer_from: Callable[[Any], Writer]
) -> Writer | None:
    """Return the writer that is meant; None where summaries are verbatim digests.

    Args:
        model: A model of the framework.
        write: A writer instead.
        writer_from: Makes a writer of a model.

    Raises:
        InvalidConfiguration: There are two.
    """
    if model is None:
        return write
    if write is not None:
        msg = "a summary has one writer: give `model` or `write`, not both; both were given"
        raise InvalidConfiguration(msg, {"model": repr(model)[:80], "write": repr(write)[:80]})
    return writer_from(model)


@contextmanager
def overflow_told(*kinds: type[Exception]) -> Iterator[None]:
    """Have what a model raised as too long a prompt told as `InputTooLong` (known failure J10).

    Args:
        *kinds: The framework's own errors that say so.
    """
    try:
        yield
    except Exception as fault:
        if overflow_of(fault, *kinds) is not None:
            raise InputTooLong from fault
        raise
