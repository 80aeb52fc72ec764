"""The driver of the app in a browser, where a server is between it and the page."""

from __future__ import annotations

from textual.drivers.web_driver import WebDriver
from textual.messages import ExitApp


class BrowserDriver(WebDriver):
    """Ends the app with its server, also where that was killed and could not say so."""

    def run_input_thread(self) -> None:
        """Read what the server sends; when nothing can come any more, nobody sees the app either."""
        super().run_input_thread()
        self._app.post_message(ExitApp())
