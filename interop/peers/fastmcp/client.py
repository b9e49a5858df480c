import asyncio

import mcp_types as types
from fastmcp import Client
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport
from exercise import heard, plain, tell, tell_untimed, until


async def elicit(_message, _response_type, _params, _context):
    heard.append("asked elicitation")
    return {"name": "Ann"}


async def sample(_messages, _params, _context):
    heard.append("asked sampling")
    return "well met"


async def roots(_context):
    heard.append("asked roots")
    return [types.Root(uri="file:///home/ann", name="home")]


async def log(params):
    heard.append(f"log {params.level} {params.data}")


async def message(item):
    if isinstance(item, types.ToolListChangedNotification):
        heard.append("tools")
    if isinstance(item, types.ResourceUpdatedNotification):
        heard.append(f"updated {item.params.uri}")


async def progress(done, total, _message):
    heard.append(f"progress {done:g}" + ("" if total is None else f"/{total:g}"))


class Exercise:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.listening = None

    async def ping(self, _step):
        await self.client.ping()
        return {}

    async def list(self, step):
        fetch, name = {
            "tools": (self.client.list_tools, "name"),
            "prompts": (self.client.list_prompts, "name"),
            "resources": (self.client.list_resources, "uri"),
            "templates": (self.client.list_resource_templates, "uri_template"),
        }[step["what"]]
        return [str(getattr(item, name)) for item in await fetch()]

    async def call(self, step):
        if "level" in step and self.client.protocol_version < "2026":
            await self.client.set_logging_level(step["level"])
        meta = {"io.modelcontextprotocol/logLevel": step["level"]} if "level" in step else None
        report = progress if "progress" in step else None
        calling = asyncio.create_task(
            self.client.call_tool_mcp(step["name"], step.get("arguments") or {}, progress_handler=report, meta=meta)
        )
        if "cancel" in step:
            await until("progress 1")
            calling.cancel()
            try:
                return plain(await calling)
            except asyncio.CancelledError:
                raise RuntimeError("cancelled") from None
        result = plain(await calling)
        for word in step.get("until", []):
            await until(word)
        return result

    async def read(self, step):
        return plain(await self.client.read_resource_mcp(step["uri"]))

    async def prompt(self, step):
        return plain(await self.client.get_prompt_mcp(step["name"], step["arguments"]))

    async def complete(self, step):
        ref = types.PromptReference(type="ref/prompt", name=step["prompt"])
        return (await self.client.complete(ref, {"name": step["argument"], "value": step["value"]})).values

    async def watch(self, step):
        # The client of fastmcp has no word for it; the session below it is that of the official SDK.
        if self.client.protocol_version < "2026":
            await self.client.session.subscribe_resource(step["uri"])
            return {}
        opened = asyncio.Event()
        self.listening = asyncio.create_task(self.listen(step["uri"], opened))
        await opened.wait()
        return {}

    async def listen(self, uri, opened):
        from mcp.client.subscriptions import listen

        async with listen(self.client.session, tools_list_changed=True, resource_subscriptions=[uri]) as subscription:
            opened.set()
            async for _event in subscription:
                pass

    async def together(self, step):
        calls = [self.client.call_tool_mcp(call["name"], call["arguments"]) for call in step["calls"]]
        return [plain(result) for result in await asyncio.gather(*calls)]


def transport_to(target):
    if target["transport"] == "stdio":
        command, *arguments = target["command"]
        return StdioTransport(command, arguments)
    return SSETransport(target["url"]) if target["transport"] == "sse" else StreamableHttpTransport(target["url"])


async def run(assignment):
    client = Client(
        transport_to(assignment["target"]),
        elicitation_handler=elicit,
        sampling_handler=sample,
        roots=roots,
        log_handler=log,
        message_handler=message,
    )

    async def connect():
        await client.__aenter__()
        return {"revision": client.protocol_version}

    if not await tell_untimed("connect", connect()):
        return
    exercise = Exercise(client)
    for step in assignment["steps"]:
        if step["do"] != "close":
            await tell(step["id"], getattr(exercise, step["do"])(step))
    if exercise.listening is not None:
        exercise.listening.cancel()

    async def close():
        await client.__aexit__(None, None, None)
        await client.close()
        return {}

    await tell_untimed("close", close())
