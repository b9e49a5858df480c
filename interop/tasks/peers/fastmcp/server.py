import asyncio
from datetime import timedelta

import mcp_types as types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension
from mcp.shared.exceptions import MCPError
from serving import serve_http

server = FastMCP("fastmcp-tasks", version="1.0.0")
server.add_extension(TasksExtension(url="memory://"))
given_up = 0
OPTIONAL = TaskConfig(mode="optional", poll_interval=timedelta(milliseconds=100))
REQUIRED = TaskConfig(mode="required", poll_interval=timedelta(milliseconds=100))
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@server.tool(output_schema=None, task=OPTIONAL)
async def quick() -> str:
    return "quick"


@server.tool(output_schema=None, task=OPTIONAL)
async def slow(ms: int) -> str:
    await asyncio.sleep(ms / 1000)
    return "brewed"


@server.tool(output_schema=None, task=REQUIRED)
async def must() -> str:
    return "done"


@server.tool(output_schema=None, task=OPTIONAL)
async def fail() -> str:
    raise ToolError("the kettle is empty")


@server.tool(name="break", output_schema=None, task=OPTIONAL)
async def broken() -> str:
    raise MCPError(-32602, "no such leaf")


@server.tool(output_schema=None, task=OPTIONAL)
async def ask(ctx: Context):
    answers = ctx.input_responses
    if answers is not None:
        return answers["question"].content["name"]
    params = types.ElicitRequestFormParams(message="Your name?", requested_schema=FORM)
    question = types.ElicitRequest(params=params)
    return types.InputRequiredResult(input_requests={"question": question}, request_state="asked")


@server.tool(output_schema=None, task=OPTIONAL)
async def endless() -> str:
    global given_up
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        given_up += 1
        raise
    return "never given up"


@server.tool(name="given-up", output_schema=None)
async def how_often_given_up() -> str:
    for _ in range(50):
        if given_up > 0:
            break
        await asyncio.sleep(0.1)
    return str(given_up)


def serve(way: str) -> None:
    if way == "stdio":
        return server.run("stdio", show_banner=False)
    app = server.http_app(transport="http")
    serve_http(app, "mcp")
