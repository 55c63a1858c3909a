"""What happens is told to everybody who watches, at the cost of one."""

import asyncio

from pinakes.api.live import EventHub


async def test_what_many_watch_is_looked_up_once_and_whoever_leaves_keeps_it_from_nobody() -> None:
    # E8, K5: sixty streams of one key made every call sixty times as dear
    hub, asked, known = EventHub(), 0, asyncio.Event()

    async def look() -> str:
        nonlocal asked
        asked += 1
        await known.wait()
        return "told"

    first, *others = [asyncio.create_task(hub.look_up("call_1", look)) for _ in range(60)]
    await asyncio.sleep(0)
    first.cancel()
    known.set()
    assert await asyncio.gather(*others) == ["told"] * 59
    assert (asked, first.cancelled()) == (1, True)
    # It is not remembered for ever.
    for number in range(200):
        await hub.look_up(f"call_{number}", look)
    await hub.look_up("call_1", look)
    assert asked == 1 + 199 + 1
