"""The roles by names of their own.

Python 3.11 takes as long to look a member of an enum up as to read a small message; where every
message is asked for its role, these are used.
"""

from typing import Final

from turnfold.turn import Role

SYSTEM: Final = Role.SYSTEM
USER: Final = Role.USER
ASSISTANT: Final = Role.ASSISTANT
TOOL: Final = Role.TOOL
