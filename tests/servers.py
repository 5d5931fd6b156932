"""A server that nobody should ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

OBJECT = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fetched}\n"


class Server:
    """A server that remembers who asked for what."""

    def __init__(self) -> None:
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(OBJECT)

            def log_message(self, *_: object) -> None:
                pass

        self.asked = asked
        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server for a while."""
    server = Server()
    thread = Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()
