"""The elements of an HTML page, and what every page must fulfil."""

from __future__ import annotations

import re
from collections.abc import Collection
from html.parser import HTMLParser

from towerlab.analysis.report.render import CSP


class Elements(HTMLParser):
    """Every start tag with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


FETCHING = {"src", "srcset", "poster", "data", "action", "background", "cite", "manifest", "ping"}


def check_html(html: str, beside: Collection[str]) -> None:
    """Assert that a document fetches nothing and has what a screen reader needs.

    Args:
        html: the document.
        beside: names of the files that links may lead to.
    """
    elements = Elements(html)
    targets = []
    level = 0
    policies = [meta["content"] for meta in elements.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policies == [CSP]
    for tag, attributes in elements.found:
        if re.fullmatch("h[1-6]", tag):
            assert int(tag[1]) <= level + 1, f"a <{tag}> follows a <h{level}>"
            level = int(tag[1])
        assert not FETCHING & {*attributes} and not any(name.startswith("on") for name in attributes), (tag, attributes)
        targets += (attributes.get("aria-labelledby") or "").split() + (
            attributes.get("aria-describedby") or ""
        ).split()
        for value in (attributes.get("href"), attributes.get("xlink:href")):
            targets += [value[1:]] if value and value.startswith("#") else []
            leads = value is None or value.startswith(("#", "data:")) or (tag == "a" and value in beside)
            assert leads, f"<{tag}> leads outside: {value}"
        assert not any("url(" in (value or "") and "url(#" not in (value or "") for value in attributes.values()), tag
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len({*ids}) and {*targets} <= {*ids}, {*targets} - {*ids}
