"""Packs a checkout without symbolic links (Windows): there each link in `towerlab/` is a file of text, "../games"."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FollowLinks(BuildHookInterface):
    """Puts the folder that a text names in the text's place, in wheels and sdists; an editable install has no need."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add to what hatchling includes and excludes."""
        texts = [path for path in Path(self.root, "towerlab").iterdir() if path.is_file() and not path.is_symlink()]
        names = [path.name for path in texts if path.read_bytes().strip() == f"../{path.name}".encode()]
        if version != "editable":
            self.build_config.target_config["exclude"] = [f"/towerlab/{name}" for name in names]
            build_data["force_include"] |= {name: f"towerlab/{name}" for name in names}
