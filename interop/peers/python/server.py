import asyncio
from typing import Annotated

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from pydantic import BaseModel
from serving import serve_http

server = MCPServer("python", version="1.0.0", log_level="WARNING")
given_up = 0
grown = 0


class Sum(BaseModel):
    sum: float


class Name(BaseModel):
    name: str


@server.tool()
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool(structured_output=False)
def fail() -> str:
    raise ToolError("the kettle is empty")


@server.tool(structured_output=False)
def echo(text: str) -> str:
    return text


@server.tool(structured_output=False)
def large(length: int) -> str:
    return "x" * length


@server.tool(structured_output=False)
async def count(ctx: Context) -> str:
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
    return "counted"


@server.tool(structured_output=False)
async def speak(ctx: Context) -> str:
    await ctx.info("hello")
    return "spoken"


@server.tool(structured_output=False)
async def slow(text: str, ms: int) -> str:
    await asyncio.sleep(ms / 1000)
    return text


@server.tool(structured_output=False)
async def wait(ctx: Context) -> str:
    global given_up
    await ctx.report_progress(1)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        given_up += 1
        raise
    return "never given up"


@server.tool(name="given-up", structured_output=False)
async def how_often_given_up() -> str:
    global given_up
    for _ in range(50):
        if given_up > 0:
            break
        await asyncio.sleep(0.1)
    count, given_up = given_up, 0
    return str(count)


async def ask_name() -> Elicit[Name]:
    return Elicit("Your name?", Name)


async def ask_model() -> Sample:
    text = types.TextContent(type="text", text="Greet me.")
    return Sample([types.SamplingMessage(role="user", content=text)], max_tokens=20)


async def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool(structured_output=False)
async def ask(name: Annotated[Name, Resolve(ask_name)]) -> str:
    return name.name


@server.tool(structured_output=False)
async def think(said: Annotated[types.CreateMessageResult, Resolve(ask_model)]) -> str:
    return said.content.text


@server.tool(structured_output=False)
async def look(found: Annotated[types.ListRootsResult, Resolve(ask_roots)]) -> str:
    return ",".join(str(root.uri) for root in found.roots)


@server.tool(structured_output=False)
async def touch(ctx: Context) -> str:
    # Both ways: each reaches clients of one era.
    await ctx.notify_resource_updated("memo://one")
    if ctx.protocol_version < "2026":
        await ctx.session.send_resource_updated("memo://one")
    return "touched"


@server.tool(structured_output=False)
async def grow(ctx: Context) -> str:
    global grown
    grown += 1
    server.add_tool(lambda: "new", name=f"grown-{grown}")
    await ctx.notify_tools_changed()
    if ctx.protocol_version < "2026":
        await ctx.session.send_tool_list_changed()
    return "grown"


@server.resource("memo://one", name="one", mime_type="text/plain")
def memo() -> str:
    return "remember the milk"


@server.resource("user://{id}", name="user")
def user(id: str) -> str:
    return f"user {id}"


@server.prompt()
def welcome(who: str) -> str:
    return f"Please welcome {who}."


@server.completion()
async def complete(_ref, argument, _context):
    names = [name for name in ("Ada", "Adele", "Bob") if name.startswith(argument.value)]
    return types.Completion(values=names)


async def taken(_ctx, _params) -> types.EmptyResult:
    return types.EmptyResult()


# For clients of the handshake revisions; MCPServer itself has neither.
server._lowlevel_server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, taken)
server._lowlevel_server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, taken)


def serve(way: str) -> None:
    if way == "stdio":
        return server.run("stdio")
    app = server.sse_app() if way == "sse" else server.streamable_http_app()
    serve_http(app, "sse" if way == "sse" else "mcp")
