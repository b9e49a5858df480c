"""What client programs of Python have in common: what they heard, and what they tell of a step."""

import asyncio
import json
import warnings

import anyio

warnings.simplefilter("ignore")
heard: list[str] = []


def plain(result):
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


async def until(word):
    for _ in range(200):
        if word in heard:
            return
        await asyncio.sleep(0.05)


async def tell(step, doing):
    """Does a step within half a minute, and tells what came of it. Gives whether it went well."""
    return await tell_untimed(step, in_time(doing))


async def in_time(doing):
    with anyio.fail_after(30):
        return await doing


async def tell_untimed(step, doing):
    """Does a step that opens what stays open after it, or closes it, and so stands in no scope of time."""
    try:
        came = {"result": await doing}
    except Exception as error:
        came = what_failed(error)
    print(json.dumps({"step": step, **came, "heard": list(heard)}), flush=True)
    heard.clear()
    return "result" in came


def what_failed(error):
    # Version 1 of the official SDK keeps the error that the server answered with in a field.
    answered = getattr(error, "error", error)
    code = getattr(answered, "code", None)
    if isinstance(code, int):
        return {"error": {"code": code, "message": answered.message}}
    return {"failed": str(error) or repr(error)}
