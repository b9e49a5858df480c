"""A server of FastMCP that is its own authorization server: issuing.py <port>."""

import sys

from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider

port = int(sys.argv[1])
provider = InMemoryOAuthProvider(
    base_url=f"http://127.0.0.1:{port}",
    client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["read"], default_scopes=["read"]),
    revocation_options=RevocationOptions(enabled=True),
    required_scopes=["read"],
)
server = FastMCP("fastmcp", auth=provider)


@server.tool(output_schema=None)
def whoami() -> str:
    return "ann"


server.run("http", host="127.0.0.1", port=port, show_banner=False, log_level="warning")
