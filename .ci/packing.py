"""Additions to wheels and sdists: the commit, and the targets of links where a checkout has none."""

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Packing(BuildHookInterface):
    """Adds to what hatchling includes and excludes; an editable install needs nothing."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack a checkout."""
        root = Path(self.root)
        included = build_data["force_include"]
        if version == "editable":
            return
        # In a checkout without symbolic links (Windows) each link in `towerlab/` is a file of text, "../games".
        texts = [path for path in (root / "towerlab").iterdir() if path.is_file() and not path.is_symlink()]
        names = [path.name for path in texts if path.read_bytes().strip() == f"../{path.name}".encode()]
        self.build_config.target_config["exclude"] = [f"/towerlab/{name}" for name in names]
        included |= {name: f"towerlab/{name}" for name in names}
        if (root / ".git").exists():  # an sdist has the file already
            self.folder = tempfile.TemporaryDirectory()
            file = Path(self.folder.name, "version.txt")
            file.write_text(runpy.run_path(str(root / "analysis" / "version.py"))["exact_version"]())
            included[str(file)] = "towerlab/version.txt"
