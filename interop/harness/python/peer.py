"""A peer of Python, by its folder: `peer.py FOLDER client` does what the plan on its standard input says, `peer.py FOLDER serve WAY` serves."""

import asyncio
import json
import sys


def main() -> None:
    folder, role, *ways = sys.argv[1:]
    sys.path.insert(0, folder)
    if role == "client":
        from client import run

        asyncio.run(run(json.loads(sys.stdin.readline())))
    else:
        from server import serve

        serve(*ways)


main()
