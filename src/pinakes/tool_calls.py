"""A method for every tool. Their types are in the stub beside this file, which `make types` makes from the registry."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any


class ToolCalls:
    """Whatever is no attribute is the name of a tool: `tools.list_catalogs()` calls it."""

    call: Callable[..., Awaitable[Any]]

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """The tool of this name; the server says whether there is one."""
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self.call, name)
