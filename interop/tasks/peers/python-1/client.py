import asyncio

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.experimental.task_handlers import ExperimentalTaskHandlers
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.experimental.tasks.in_memory_task_store import InMemoryTaskStore
from exercise import heard, plain, tell, tell_untimed, until

ANN = types.ElicitResult(action="accept", content={"name": "Ann"})
hosted = InMemoryTaskStore()


async def elicit(_context, _params):
    heard.append("asked elicitation")
    return ANN


async def elicit_by_task(_context, _params, wanted):
    heard.extend(["asked elicitation", "hosted"])
    task = await hosted.create_task(wanted)
    asyncio.get_running_loop().call_later(0.2, lambda: asyncio.ensure_future(answer(task.taskId)))
    return types.CreateTaskResult(task=task)


async def answer(task_id):
    await hosted.store_result(task_id, ANN)
    await hosted.update_task(task_id, "completed")


async def hosted_task(_context, params):
    return types.GetTaskResult(**(await hosted.get_task(params.taskId)).model_dump())


async def hosted_result(_context, params):
    return types.GetTaskPayloadResult(**plain(await hosted.get_result(params.taskId)))


async def message(item):
    if isinstance(item, types.ServerNotification) and isinstance(item.root, types.TaskStatusNotification):
        heard.append(f"told {item.root.params.status}")


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

    async def told(self, step):
        await self.started(step)
        await until("told completed")
        return {"status": "completed"}

    async def unknown(self, _step):
        return plain(await self.tasks.get_task("never-was"))

    async def tasks_listed(self, _step):
        return {"count": len((await self.tasks.list_tasks()).tasks)}


NAMES = {"cancel-ended": "cancel_ended", "tasks": "tasks_listed"}


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
        handlers = ExperimentalTaskHandlers(
            augmented_elicitation=elicit_by_task, get_task=hosted_task, get_task_result=hosted_result
        )
        async with ClientSession(
            reading,
            writing,
            elicitation_callback=elicit,
            message_handler=message,
            experimental_task_handlers=handlers,
        ) as session:
            await tell_untimed("connect", opened(session))
            exercise = Exercise(session)
            for step in assignment["steps"]:
                await tell(step["id"], getattr(exercise, NAMES.get(step["do"], step["do"]))(step))
