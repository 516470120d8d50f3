"""`/nights`: what is watched, and its last nights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.output.server import nights
from leadline.output.server.catalogue import Entry
from leadline.output.server.responses import json, part
from leadline.output.server.served import (
    PAGE_PATIENCE_S,
    PROGRAM_PATIENCE_S,
    Address,
    Missing,
    Served,
)

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response


def _nights(served: Served, request: Request) -> Response:
    found = nights.watched(served.catalogue.entries())
    return served.page("nights", here="/nights", watched=found)


def _night(served: Served, request: Request, key: str) -> Response:
    of, entries = _watched(served, key)
    with served.patience(PAGE_PATIENCE_S) as patience:
        found = served.history.nights(of, entries, patience)
    shown = nights.shown(of, found, entries, request.args.get("figure", ""))
    return served.page("night", here="/nights", api=f"/api/nights/{part(of.key)}", **shown)


def _watched(served: Served, key: str) -> tuple[nights.Watched, dict[str, Entry]]:
    entries = served.catalogue.entries()
    for each in nights.watched(entries):
        if each.key == key:
            return each, entries
    raise Missing("Nothing that is watched is at this address: see Nights.")


def _api_nights(served: Served, request: Request) -> Response:
    return json({"watched": nights.watched(served.catalogue.entries())})


def _api_night(served: Served, request: Request, key: str) -> Response:
    of, entries = _watched(served, key)
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        return json(served.history.nights(of, entries, patience))


ADDRESSES = (
    Address("/nights", _nights),
    Address("/nights/<key>", _night),
    Address("/api/nights", _api_nights),
    Address("/api/nights/<key>", _api_night),
)
