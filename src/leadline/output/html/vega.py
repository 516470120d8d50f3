"""The JavaScript that draws the charts, as the package `vl-convert-python` carries it."""

import base64
import contextlib
import gzip
import hashlib
import os
import zlib
from importlib.metadata import version
from pathlib import Path

import msgspec

from leadline.core.paths import home

# The libraries' own top-level names must not meet those of the page.
_SNIPPET = "window.vegaEmbed = vegaEmbed;"


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """Vega, Vega-Lite and Vega-Embed in one script.

    `compressed` is the gzip of the script in base64; `digest` is the script's own SHA-256 as a
    content security policy writes it.
    """

    compressed: str
    digest: str


def bundle() -> Bundle:
    """Return the script; building it takes a second, so that it is kept under `home()`.

    Where that folder cannot be written, the script is built each time.
    """
    kept = home() / "cache" / f"vega-{version('vl-convert-python')}.js.gz"
    try:
        compressed = kept.read_bytes()
        script = gzip.decompress(compressed)
    except (OSError, EOFError, zlib.error):
        import vl_convert

        script = f"(() => {{{vl_convert.javascript_bundle(_SNIPPET)}}})();".encode()
        compressed = gzip.compress(script, mtime=0)
        with contextlib.suppress(OSError):
            _keep(kept, compressed)
    return Bundle(compressed=base64.b64encode(compressed).decode(), digest=digest(script))


def digest(script: bytes) -> str:
    """Return the source expression by which a content security policy allows `script`."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}"


def _keep(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)
