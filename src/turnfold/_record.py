"""What all frozen records share: pickling goes through the constructor and its checks."""

from dataclasses import fields
from typing import Any, NoReturn, TypeVar, cast

RecordT = TypeVar("RecordT")


def _rebuild(cls: type[RecordT], values: dict[str, Any]) -> RecordT:
    return cls(**values)


def _reduce(self: object) -> tuple[Any, ...]:
    values = {field.name: getattr(self, field.name) for field in fields(cast("Any", self))}
    return _rebuild, (type(self), values)


def _refuse_state(self: object, _state: object) -> NoReturn:
    msg = f"{type(self).__name__} is rebuilt through its constructor and takes no state"
    raise TypeError(msg)


def sealed(cls: type[RecordT]) -> type[RecordT]:
    """Make a frozen, slotted dataclass copy and unpickle through its constructor.

    The default pickling of such a class skips `__post_init__`, so that edited bytes would make an
    object that validation never saw.
    """
    if "__reduce__" not in cls.__dict__:
        cls.__reduce__ = _reduce  # type: ignore[method-assign]
    cls.__setstate__ = _refuse_state  # type: ignore[attr-defined]
    return cls
