"""What turnfold's own tests use, for policies and transcripts of your own.

`check_policy` holds a policy against the laws that turnfold's policies pass (contract H3), and
`check_format` a format against those of turnfold's formats (contracts R1 to R4);
`turnfold.testing.strategies` has Hypothesis strategies for transcripts and budgets. Policies need
the extra `turnfold[testing]`; importing this package does not, and it loads no pytest plugin.

Example:
    >>> from turnfold import DropOldestPolicy
    >>> from turnfold.testing import check_policy
    >>> check_policy(DropOldestPolicy, examples=5)
"""

from turnfold.testing._check import check_policy
from turnfold.testing._format import Format, check_format
from turnfold.testing._laws import LAWS, Law, Trial

__all__ = ["LAWS", "Format", "Law", "Trial", "check_format", "check_policy"]
