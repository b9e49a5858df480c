"""A server of the official SDK of Python that takes the JWTs of an authorization server of others: verifying.py <port> <issuer>."""

import asyncio
import sys

import jwt
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer

port, issuer = int(sys.argv[1]), sys.argv[2]
url = f"http://127.0.0.1:{port}/mcp"
keys = jwt.PyJWKClient(f"{issuer}/jwks")


class Verifier:
    async def verify_token(self, token):
        try:
            key = await asyncio.to_thread(keys.get_signing_key_from_jwt, token)
            claims = jwt.decode(token, key.key, algorithms=["ES256"], audience=url, issuer=issuer)
        except jwt.PyJWTError:
            return None
        scopes = claims.get("scope", "").split()
        return AccessToken(
            token=token, client_id=claims["client_id"], scopes=scopes, expires_at=claims["exp"], resource=url, subject=claims["sub"]
        )


settings = AuthSettings(issuer_url=issuer, resource_server_url=url, required_scopes=["read"], validate_token_resource=True)
server = MCPServer("python", token_verifier=Verifier(), auth=settings, log_level="WARNING")


@server.tool(structured_output=False)
def whoami() -> str:
    return get_access_token().subject


server.run("streamable-http", host="127.0.0.1", port=port)
