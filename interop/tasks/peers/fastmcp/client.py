from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp_tasks import call_tool_task
from fastmcp_tasks.client import _inlined_call_tool_result, _send_cancel, _send_get
from mcp.shared.exceptions import MCPError
from exercise import heard, plain, tell, tell_untimed


async def elicit(_message, answer, _params, _context):
    heard.append("asked elicitation")
    return answer(name="Ann")


class Exercise:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, step):
        return plain(await self.client.call_tool_mcp(step["name"], step.get("arguments") or {}))

    async def started(self, step):
        task = await call_tool_task(self.client, step["name"], step.get("arguments"))
        heard.extend(["created", f"ttl {task.create_result.ttl_ms}"])
        return task

    async def task(self, step):
        task = await self.started(step)
        heard.append(f"status {(await task.status()).status}")
        if step["name"] == "ask":
            await task.result()
        final = await task.wait()
        if final.status == "failed":
            raise MCPError(final.error["code"], final.error["message"])
        return plain(_inlined_call_tool_result(final.result))

    async def cancel(self, step):
        task = await self.started(step)
        await task.cancel()
        return {"status": (await task.wait()).status}

    async def cancel_ended(self, step):
        task = await self.started(step)
        await task.wait()
        await _send_cancel(self.client.session, task.task_id)
        return {}

    async def unknown(self, _step):
        return plain(await _send_get(self.client.session, "never-was"))


async def run(assignment):
    target = assignment["target"]
    if target["transport"] == "stdio":
        command, *arguments = target["command"]
        transport = StdioTransport(command, arguments)
    else:
        transport = StreamableHttpTransport(target["url"])
    client = Client(transport, elicitation_handler=elicit)

    async def connect():
        await client.__aenter__()
        return {"revision": client.protocol_version}

    await tell_untimed("connect", connect())
    exercise = Exercise(client)
    for step in assignment["steps"]:
        if step["do"] != "tasks":
            await tell(step["id"], getattr(exercise, step["do"].replace("-", "_"))(step))
    await client.__aexit__(None, None, None)
    await client.close()
