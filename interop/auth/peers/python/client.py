"""The client of the official SDK of Python, at a server that wants a login: the person is whoever reads its pages and writes where they end."""

import asyncio
import json
import sys
import warnings

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from urllib.parse import parse_qs, urlsplit

warnings.simplefilter("ignore")
url = sys.argv[1]


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def show(page):
    print(json.dumps({"page": page}), flush=True)


async def answer():
    line = await asyncio.to_thread(sys.stdin.readline)
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    if "error" in parameters:
        raise RuntimeError(f"{parameters['error']}: {parameters.get('error_description')}")
    return AuthorizationCodeResult(code=parameters["code"], state=parameters.get("state"), iss=parameters.get("iss"))


async def main():
    storage = Storage()
    metadata = OAuthClientMetadata(
        client_name="of the tests",
        redirect_uris=["http://127.0.0.1:33419/callback"],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    auth = OAuthClientProvider(url, metadata, storage, redirect_handler=show, callback_handler=answer)
    async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
        client = Client(streamable_http_client(url, http_client=http))

        async def step(name, doing):
            try:
                result = await doing
                print(json.dumps({"step": name, "result": str(result)}), flush=True)
            except BaseException as error:
                print(json.dumps({"step": name, "problem": repr(error)}), flush=True)

        async def call(name):
            result = await client.call_tool(name, {})
            if result.is_error:
                raise RuntimeError(str(result.content))
            return result.content[0].text

        await step("its client signs in", client.__aenter__())
        await step("its client calls", call("whoami"))
        before = storage.tokens and storage.tokens.access_token
        await asyncio.sleep(6)
        await step("its client renews", call("whoami"))
        if storage.tokens and storage.tokens.access_token == before:
            print(json.dumps({"step": "its client renews", "problem": "the token is the one before"}), flush=True)
        await step("its client steps up", call("write"))
        await step("its client closes", client.__aexit__(None, None, None))


asyncio.run(main())
