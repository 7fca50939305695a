"""What an audit found, in the files that CI systems read: SARIF and JUnit.

JUnit needs the extra `reports`; SARIF needs nothing. Neither reads or writes a file.

Example:
    >>> from turnfold import Transcript, TranscriptTurn
    >>> from turnfold.audit import audit
    >>> from turnfold.reports import Audited, to_sarif
    >>> original = Transcript([TranscriptTurn("u", "user", "Serve it on port 8443.", 9)])
    >>> summary = "The service listens."
    >>> audited = Audited(audit(original, summary), "summary.md", {None: summary})
    >>> to_sarif([audited])["version"]
    '2.1.0'
"""

from turnfold.reports._audited import Audited
from turnfold.reports.sarif import to_sarif

__all__ = ["Audited", "to_sarif"]
