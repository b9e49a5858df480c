"""The official SDK of Python, version 1: `peer.py client` does what the plan on its standard input says, `peer.py serve WAY` serves."""

import asyncio
import json
import sys


def main() -> None:
    if sys.argv[1] == "client":
        from client import run

        asyncio.run(run(json.loads(sys.stdin.readline())))
    else:
        from server import serve

        serve(sys.argv[2])


main()
