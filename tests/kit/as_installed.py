"""Answers command lines in the folder it is started in; `test_help_examples` starts it beside an installed copy.

A list of command lines comes as JSON on stdin; for each a JSON list goes to stdout: words, status, stdout, stderr.
Studies and reports are asked for, not run.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from unittest import mock

from towerlab import cli


def answer(words: list[str]) -> tuple[int, str, str]:
    """Status, stdout and stderr of `towerlab WORDS…`; nobody answers its questions."""
    out = io.StringIO()
    err = io.StringIO()
    status = 0
    streams = (contextlib.redirect_stdout(out), contextlib.redirect_stderr(err))
    with streams[0], streams[1], mock.patch("sys.argv", ["towerlab", *words]), mock.patch("sys.stdin", io.StringIO()):
        try:
            cli.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
    return status, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    from towerlab.analysis.report.studies import Report
    from towerlab.analysis.study import StudyResult

    lines = json.load(sys.stdin)
    with (
        mock.patch("towerlab.analysis.study.run_study", lambda *given, **named: StudyResult({}, {"n": 1})),
        mock.patch.object(Report, "write", lambda self, folder, **named: folder),
        mock.patch("towerlab.analysis.report.write.write_index", lambda folder, games: folder),
    ):
        for words in lines:
            print(json.dumps([words, *answer(words)]), flush=True)
            if "--transcripts" in words:  # the beginning of a game does for what is asked of it
                path = Path(words[words.index("--transcripts") + 1])
                path.write_text("".join(path.read_text().splitlines(keepends=True)[:60]))
    print(json.dumps([["where"], 0, cli.__file__, ""]))
