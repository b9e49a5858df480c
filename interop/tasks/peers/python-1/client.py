import json
import warnings

import anyio
import mcp.types as types
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

warnings.simplefilter("ignore")
heard: list[str] = []


async def elicit(_context, _params):
    heard.append("asked elicitation")
    return types.ElicitResult(action="accept", content={"name": "Ann"})


async def message(item):
    if isinstance(item, types.ServerNotification) and isinstance(item.root, types.TaskStatusNotification):
        heard.append(f"told {item.root.params.status}")


def plain(result):
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


class Exercise:
    def __init__(self, session: ClientSession) -> None:
        self.session = session
        self.tasks = session.experimental

    async def call(self, step):
        return plain(await self.session.call_tool(step["name"], step.get("arguments")))

    async def started(self, step):
        made = await self.tasks.call_tool_as_task(step["name"], step.get("arguments"), ttl=step.get("ttl", 120000))
        heard.extend(["created", f"ttl {made.task.ttl}"])
        return made.task.taskId

    async def task(self, step):
        task_id = await self.started(step)
        async for status in self.tasks.poll_task(task_id):
            heard.append(f"status {status.status}")
            if status.status == "input_required":
                break
        return plain(await self.tasks.get_task_result(task_id, types.CallToolResult))

    async def cancel(self, step):
        task_id = await self.started(step)
        await self.tasks.cancel_task(task_id)
        return {"status": (await self.tasks.get_task(task_id)).status}

    async def cancel_ended(self, step):
        task_id = await self.started(step)
        await self.tasks.get_task_result(task_id, types.CallToolResult)
        return plain(await self.tasks.cancel_task(task_id))

    async def unknown(self, _step):
        return plain(await self.tasks.get_task("never-was"))

    async def tasks_listed(self, _step):
        return {"count": len((await self.tasks.list_tasks()).tasks)}


NAMES = {"cancel-ended": "cancel_ended", "tasks": "tasks_listed"}


async def tell(step, doing):
    try:
        with anyio.fail_after(30):
            came = {"result": await doing}
    except McpError as error:
        came = {"error": {"code": error.error.code, "message": error.error.message}}
    except Exception as error:
        came = {"failed": str(error) or repr(error)}
    print(json.dumps({"step": step, **came, "heard": list(heard)}), flush=True)
    heard.clear()


async def opened(session):
    return {"revision": (await session.initialize()).protocolVersion}


async def run(assignment):
    target = assignment["target"]
    if target["transport"] == "stdio":
        command, *arguments = target["command"]
        streams = stdio_client(StdioServerParameters(command=command, args=arguments))
    else:
        streams = streamablehttp_client(target["url"])
    async with streams as (reading, writing, *_):
        async with ClientSession(reading, writing, elicitation_callback=elicit, message_handler=message) as session:
            await tell("connect", opened(session))
            exercise = Exercise(session)
            for step in assignment["steps"]:
                await tell(step["id"], getattr(exercise, NAMES.get(step["do"], step["do"]))(step))
