import asyncio

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from exercise import heard, plain, tell, tell_untimed, until


async def elicit(_context, _params):
    heard.append("asked elicitation")
    return types.ElicitResult(action="accept", content={"name": "Ann"})


async def sample(_context, _params):
    heard.append("asked sampling")
    text = types.TextContent(type="text", text="well met")
    return types.CreateMessageResult(role="assistant", model="m", content=text)


async def roots(_context):
    heard.append("asked roots")
    return types.ListRootsResult(roots=[types.Root(uri="file:///home/ann", name="home")])


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
        await self.client.send_ping()
        return {}

    async def list(self, step):
        fetch, items, name = {
            "tools": (self.client.list_tools, "tools", "name"),
            "prompts": (self.client.list_prompts, "prompts", "name"),
            "resources": (self.client.list_resources, "resources", "uri"),
            "templates": (self.client.list_resource_templates, "resource_templates", "uri_template"),
        }[step["what"]]
        found, cursor = [], None
        while True:
            page = await fetch(cursor=cursor)
            found += [str(getattr(item, name)) for item in getattr(page, items)]
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def call(self, step):
        if "level" in step and self.client.protocol_version < "2026":
            await self.client.set_logging_level(step["level"])
        meta = {"io.modelcontextprotocol/logLevel": step["level"]} if "level" in step else None
        report = progress if "progress" in step else None
        calling = asyncio.create_task(
            self.client.call_tool(step["name"], step.get("arguments"), progress_callback=report, meta=meta)
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
        return plain(await self.client.read_resource(step["uri"]))

    async def prompt(self, step):
        return plain(await self.client.get_prompt(step["name"], step["arguments"]))

    async def complete(self, step):
        ref = types.PromptReference(type="ref/prompt", name=step["prompt"])
        result = await self.client.complete(ref, {"name": step["argument"], "value": step["value"]})
        return result.completion.values

    async def watch(self, step):
        if self.client.protocol_version < "2026":
            await self.client.subscribe_resource(step["uri"])
            return {}
        opened = asyncio.Event()
        self.listening = asyncio.create_task(self.listen(step["uri"], opened))
        await opened.wait()
        return {}

    async def listen(self, uri, opened):
        async with self.client.listen(tools_list_changed=True, resource_subscriptions=[uri]) as subscription:
            opened.set()
            async for _event in subscription:
                pass

    async def together(self, step):
        calls = [self.client.call_tool(call["name"], call["arguments"]) for call in step["calls"]]
        return [plain(result) for result in await asyncio.gather(*calls)]


def server_of(target):
    if target["transport"] == "stdio":
        command, *arguments = target["command"]
        return StdioServerParameters(command=command, args=arguments)
    return target["url"] if target["transport"] == "http" else sse_client(target["url"])


async def run(assignment):
    client = Client(
        server_of(assignment["target"]),
        elicitation_callback=elicit,
        sampling_callback=sample,
        list_roots_callback=roots,
        logging_callback=log,
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
        return {}

    await tell_untimed("close", close())
