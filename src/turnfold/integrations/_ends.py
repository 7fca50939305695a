"""Work that is not to be left half done."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

ResultT = TypeVar("ResultT")


async def to_its_end(work: Awaitable[ResultT]) -> ResultT:
    """Await something; a caller that is cancelled meanwhile is so once it has ended.

    A thread goes on where nobody awaits it, and what it changes would change under the next caller.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # Is looked at, so that nothing complains of it.
        raise
