import contextlib

import anyio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from serving import serve_http
from starlette.applications import Starlette
from starlette.routing import Mount

server = Server("python-1")
server.experimental.enable_tasks()
given_up = 0
MS = {"type": "object", "properties": {"ms": {"type": "integer"}}, "required": ["ms"]}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def text(words, **more):
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], **more)


async def quick(_task, _arguments):
    return text("quick")


async def slow(_task, arguments):
    await anyio.sleep(arguments["ms"] / 1000)
    return text("brewed")


async def must(_task, _arguments):
    return text("done")


async def fail(_task, _arguments):
    return text("the kettle is empty", isError=True)


async def broken(_task, _arguments):
    raise McpError(types.ErrorData(code=-32602, message="no such leaf"))


async def ask(task, _arguments):
    answer = await task.elicit("Your name?", NAME)
    return text(answer.content["name"])


async def endless(task, _arguments):
    global given_up
    while (await server.experimental.task_support.store.get_task(task.task_id)).status == "working":
        await anyio.sleep(0.05)
    given_up += 1
    return text("given up")


WORKS = {
    "quick": quick,
    "slow": slow,
    "must": must,
    "fail": fail,
    "break": broken,
    "ask": ask,
    "endless": endless,
}


@server.list_tools()
async def tools():
    found = [types.Tool(name="given-up", inputSchema={"type": "object"})]
    for name in WORKS:
        support = types.ToolExecution(taskSupport="required" if name == "must" else "optional")
        schema = MS if name == "slow" else {"type": "object"}
        found.append(types.Tool(name=name, inputSchema=schema, execution=support))
    return found


@server.call_tool()
async def call(name, arguments):
    if name == "given-up":
        for _ in range(50):
            if given_up > 0:
                break
            await anyio.sleep(0.1)
        return text(str(given_up))
    context = server.request_context
    if name == "must":
        context.experimental.validate_task_mode("required")
    if not context.experimental.is_task:
        return await WORKS[name](None, arguments)
    return await context.experimental.run_task(lambda task: WORKS[name](task, arguments))


async def on_stdio():
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def serve(way: str) -> None:
    if way == "stdio":
        return anyio.run(on_stdio)
    manager = StreamableHTTPSessionManager(server)

    @contextlib.asynccontextmanager
    async def life(_app):
        async with manager.run():
            yield

    app = Starlette(routes=[Mount("/mcp", app=manager.handle_request)], lifespan=life)
    serve_http(app, "mcp/")
