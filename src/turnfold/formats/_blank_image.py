"""A picture of one pixel that carries a text: what stands for a masked screenshot.

The result of a computer call holds a picture and nothing else, so a masked one needs one too. The
text stands in a `tEXt` chunk of the PNG, which readers of pictures pass over.
"""

import struct
from base64 import b64decode, b64encode
from typing import Final
from zlib import compress, crc32

_HEAD: Final = "data:image/png;base64,"
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_KEYWORD: Final = b"turnfold\0"
_LONGEST: Final = 4_000
"""Pictures beyond so many characters are no blank ones."""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))


_HEADER: Final = _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))


def blank_image(text: str) -> str:
    """Return a data URI of a white pixel that carries a text."""
    said = _chunk(b"tEXt", _KEYWORD + text.encode("utf-8", "surrogatepass"))
    pixel = _chunk(b"IDAT", compress(b"\0\xff"))
    data = _SIGNATURE + _HEADER + said + pixel + _chunk(b"IEND", b"")
    return _HEAD + b64encode(data).decode("ascii")


def text_in(url: object) -> str | None:
    """Return the text that a blank image of turnfold carries, or None where it is none."""
    if not isinstance(url, str) or len(url) > _LONGEST or not url.startswith(_HEAD):
        return None
    try:
        data = b64decode(url[len(_HEAD) :], validate=True)
        start = len(_SIGNATURE) + len(_HEADER)
        (size,) = struct.unpack_from(">I", data, start)
        said = data[start + 8 : start + 8 + size]
        if data[:start] != _SIGNATURE + _HEADER or not said.startswith(_KEYWORD):
            return None
        return said[len(_KEYWORD) :].decode("utf-8", "surrogatepass")
    except (ValueError, struct.error):
        return None
