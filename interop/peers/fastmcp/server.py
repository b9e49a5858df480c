import asyncio

import mcp_types as types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool
from pydantic import BaseModel
from serving import serve_http

server = FastMCP("fastmcp", version="1.0.0")
given_up = 0
grown = 0


class Sum(BaseModel):
    sum: float


@server.tool
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool(output_schema=None)
def fail() -> str:
    raise ToolError("the kettle is empty")


@server.tool(output_schema=None)
def echo(text: str) -> str:
    return text


@server.tool(output_schema=None)
def large(length: int) -> str:
    return "x" * length


@server.tool(output_schema=None)
async def count(ctx: Context) -> str:
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
    return "counted"


@server.tool(output_schema=None)
async def speak(ctx: Context) -> str:
    # ctx.info sends an object around the text.
    await ctx.session.send_log_message("info", "hello", related_request_id=ctx.request_id)
    return "spoken"


@server.tool(output_schema=None)
async def slow(text: str, ms: int) -> str:
    await asyncio.sleep(ms / 1000)
    return text


@server.tool(output_schema=None)
async def wait(ctx: Context) -> str:
    global given_up
    await ctx.report_progress(1)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        given_up += 1
        raise
    return "never given up"


@server.tool(name="given-up", output_schema=None)
async def how_often_given_up() -> str:
    global given_up
    for _ in range(50):
        if given_up > 0:
            break
        await asyncio.sleep(0.1)
    count, given_up = given_up, 0
    return str(count)


FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def is_stateless(ctx: Context) -> bool:
    return ctx.request_context.protocol_version >= "2026"


async def asked(ctx: Context, question):
    """What the client answered in a round, or what the tool has to return to ask."""
    answers = ctx.input_responses
    if answers is not None:
        return answers["question"], None
    return None, types.InputRequiredResult(input_requests={"question": question}, request_state="asked")


@server.tool(output_schema=None)
async def ask(ctx: Context):
    params = types.ElicitRequestFormParams(message="Your name?", requested_schema=FORM)
    if not is_stateless(ctx):
        answer = await ctx.session.elicit("Your name?", FORM, related_request_id=ctx.request_id)
        return answer.content["name"]
    answer, question = await asked(ctx, types.ElicitRequest(params=params))
    return question or answer.content["name"]


@server.tool(output_schema=None)
async def think(ctx: Context):
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Greet me."))
    if not is_stateless(ctx):
        answer = await ctx.session.create_message([message], max_tokens=20, related_request_id=ctx.request_id)
        return answer.content.text
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=20)
    answer, question = await asked(ctx, types.CreateMessageRequest(params=params))
    return question or answer.content.text


@server.tool(output_schema=None)
async def look(ctx: Context):
    if not is_stateless(ctx):
        return ",".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)
    answer, question = await asked(ctx, types.ListRootsRequest())
    return question or ",".join(str(root.uri) for root in answer.roots)


@server.tool(output_schema=None)
async def touch(ctx: Context) -> str:
    params = types.ResourceUpdatedNotificationParams(uri="memo://one")
    await ctx.send_notification(types.ResourceUpdatedNotification(params=params))
    return "touched"


@server.tool(output_schema=None)
async def grow(ctx: Context) -> str:
    global grown
    grown += 1
    server.add_tool(Tool.from_function(lambda: "new", name=f"grown-{grown}"))
    await ctx.send_notification(types.ToolListChangedNotification())
    return "grown"


@server.resource("memo://one", name="one", mime_type="text/plain")
def memo() -> str:
    return "remember the milk"


@server.resource("user://{id}", name="user")
def user(id: str) -> str:
    return f"user {id}"


@server.prompt
def welcome(who: str) -> str:
    return f"Please welcome {who}."


@server.completion
async def complete(_ref, argument, _context):
    return [name for name in ("Ada", "Adele", "Bob") if name.startswith(argument.value)]


def serve(way: str) -> None:
    if way == "stdio":
        return server.run("stdio", show_banner=False)
    app = server.http_app(transport="sse" if way == "sse" else "http")
    serve_http(app, "sse" if way == "sse" else "mcp")
