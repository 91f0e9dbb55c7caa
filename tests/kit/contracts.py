"""The contract `games` of pyproject for import-linter: of those of the catalog, so that a new one is held, too."""

from __future__ import annotations

from typing import Any

from importlinter import Contract, ContractCheck, output

from towerlab.analysis.catalog import GAMES


class GamesContract(Contract):  # type: ignore[misc]
    """No game imports another, and what games share imports none, lazily neither."""

    def check(self, graph: Any, verbose: bool) -> ContractCheck:
        """Return the imports that break it: the importer and what it imports."""
        games = {game.rules.rpartition(".")[2] for game in GAMES.values()}
        broken = []
        for importer in sorted(graph.modules):
            own = games & {*importer.split(".")[2:3]}
            if not own and (importer == "towerlab" or importer.startswith(("towerlab.commands", "towerlab.cli"))):
                continue  # entry points import every game's questions
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                if games & {*imported.split(".")[2:3]} - own:
                    broken.append((importer, imported))
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print them."""
        for importer, imported in check.metadata["broken"]:
            output.print_error(f"{importer} imports {imported}")
