# SPDX-License-Identifier: Apache-2.0
"""`ak.dashboard`: a web page that shows what the current session does."""

from __future__ import annotations

from typing import Any

from ...session import current
from ...session.session import show_dashboard
from ..client.session import RemoteSession
from ..handshake import new_token
from .feed import Feed
from .sources import LocalSource, ServerSource
from .web import LOOPBACK, WebServer, application

_open: Dashboard | None = None


class Dashboard:
    """A dashboard that is being served. `url` is where; it contains the token, so keep it secret."""

    def __init__(self, url: str, web: WebServer | None, source: Any, core: Any = None) -> None:
        self.url, self._web, self._source, self._core = url, web, source, core
        show_dashboard(core, url)

    def close(self) -> None:
        """Stops serving it."""
        global _open
        if self._web is not None:
            self._web.close()
            self._web = None
            show_dashboard(self._core, "")
            if isinstance(self._source, LocalSource):
                self._source.close()
        if _open is self:
            _open = None

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<atoll dashboard: {self.url or 'on PE 0'}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank" rel="noopener">Atoll dashboard</a>' if self.url else repr(self)


def dashboard(port: int = 0, *, hosts: tuple[str, ...] = ()) -> Dashboard:
    """Serve a web page that shows what the current session does, until it is closed or the program ends. Experimental.

    It listens on 127.0.0.1. In an SPMD session PE 0 serves it, and shows the PEs of its host. A second call gives the
    dashboard that is open.

    Parameters
    ----------
    port : int
        The port; 0: a free one.
    hosts : tuple of str
        Names by which browsers may reach it besides localhost, as that of a JupyterHub in front of it.

    Returns
    -------
    Dashboard
        Its address is `url`; `close()` or ``with ak.dashboard():`` end it.
    """
    global _open
    if _open is not None:
        return _open
    core: Any = current()
    if core.pe != 0:
        return Dashboard("", None, None)
    token = new_token()
    source: Any
    if isinstance(core, RemoteSession):
        source = ServerSource(core.target)
    else:
        source = LocalSource(core)
    try:
        web = WebServer(application(Feed(source), token, (*LOOPBACK, *hosts)), "127.0.0.1", port)
    except BaseException:
        if isinstance(source, LocalSource):
            source.close()
        raise
    web.start()
    _open = Dashboard(f"http://127.0.0.1:{web.port}/#token={token}", web, source, core)
    return _open
