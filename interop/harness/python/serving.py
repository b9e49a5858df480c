"""What server programs of Python have in common: serving over HTTP at a free port."""

import socket

import uvicorn


def serve_http(app, path: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/{path}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
