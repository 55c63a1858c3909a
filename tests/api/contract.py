"""The published description of the API: its operations, requests made from it, and answers held against it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

import httpx

from harness import Server

Schema = dict[str, Any]
_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
# What paths name that is the same in every workspace.
_EVERYWHERE = {"toolName": "list_catalogs"}


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    spec: Schema

    def __str__(self) -> str:
        """As a person would write it."""
        return f"{self.method} {self.path}"

    @property
    def id(self) -> str:
        """Its unique name."""
        return self.spec["operationId"]

    @property
    def path_parameters(self) -> list[str]:
        """The names in braces of what belongs to a workspace."""
        return [name for name in re.findall(r"{(\w+)}", self.path) if name not in _EVERYWHERE]

    @property
    def body_types(self) -> Mapping[str, Schema]:
        """Media types it takes, with their schemas."""
        content = self.spec.get("requestBody", {}).get("content", {})
        return {media_type: entry["schema"] for media_type, entry in content.items()}


class Contract:
    """The OpenAPI document a server publishes."""

    def __init__(self, document: Schema) -> None:
        self.document = document
        self._numbers = count()
        self.operations = [
            Operation(method.upper(), path, spec)
            for path, methods in document["paths"].items()
            for method, spec in methods.items()
        ]

    def operation(self, operation_id: str) -> Operation:
        """The operation of this name."""
        return next(operation for operation in self.operations if operation.id == operation_id)

    def resolve(self, schema: Schema) -> Schema:
        """The schema itself where this only points to it."""
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def request(self, operation: Operation, ids: Mapping[str, str]) -> dict[str, Any]:
        """The arguments of a request that would do something, about the things with these ids."""
        for name in operation.path_parameters:
            assert name in ids, f"{operation}: say what {name} is an id of, so that it can be tried from elsewhere"
        request: dict[str, Any] = {
            "method": operation.method,
            "url": operation.path.format_map(_EVERYWHERE | dict(ids)),
        }
        query = {p["name"]: True for p in operation.spec.get("parameters", []) if p["name"] == "confirm"}
        if query:
            request["params"] = query
        for media_type, schema in operation.body_types.items():
            body = self.example(schema, ids)
            if media_type == "application/json":
                request["json"] = body
            else:
                assert media_type == "multipart/form-data", f"{operation}: no example of {media_type}"
                request["files"] = {"file": ("example.txt", body.pop("file"))}
                request["data"] = body
        return request

    def example(self, schema: Schema, ids: Mapping[str, str], name: str = "") -> Any:
        """A value of this schema with every property filled: with what is given, else with new names each time."""
        schema = self.resolve(schema)
        key = name.removesuffix("s") if name.endswith("Ids") else name
        if key.endswith("Id"):
            assert key in ids, f"{name} in a body: say what it is an id of, so that it can be tried from elsewhere"
        if key in ids:
            return [ids[key]] if key != name else ids[key]
        if examples := schema.get("examples", schema.get("enum")):
            return examples[0]
        if "anyOf" in schema:
            return self.example(schema["anyOf"][0], ids, name)
        simple: dict[str, Any] = {
            "string": "2099-01-01T00:00:00Z" if schema.get("format") == "date-time" else f"name {next(self._numbers)}",
            "integer": schema.get("minimum", 1),
            "number": schema.get("minimum", 1),
            "boolean": True,
        }
        if schema["type"] in simple:
            return simple[schema["type"]]
        if schema["type"] == "array":
            return [self.example(schema["items"], ids)]
        return {key: self.example(value, ids, key) for key, value in schema.get("properties", {}).items()}

    def faults(self, schema: Schema, value: Any, where: str = "$") -> Iterator[str]:
        """Where a value is not what the schema says; more than it says is a fault too."""
        schema = self.resolve(schema)
        if "anyOf" in schema:
            tried = [list(self.faults(option, value, where)) for option in schema["anyOf"]]
            if all(tried):
                yield from min(tried, key=len)
            return
        if "const" in schema and value != schema["const"]:
            yield f"{where}: {value!r} is not {schema['const']!r}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{where}: {value!r} is none of {schema['enum']}"
        kind: str | None = schema.get("type")
        if kind is not None and not _is(kind, value):
            yield f"{where}: {value!r} is no {kind}"
        elif kind == "array":
            for number, item in enumerate(value):
                yield from self.faults(schema["items"], item, f"{where}[{number}]")
        elif kind == "object":
            yield from self._object_faults(schema, value, where)
        elif schema.get("format") == "date-time" and datetime.fromisoformat(value).tzinfo is None:
            yield f"{where}: {value!r} has no time zone"

    def _object_faults(self, schema: Schema, value: Mapping[str, Any], where: str) -> Iterator[str]:
        properties: dict[str, Schema] = schema.get("properties", {})
        further: Schema | bool = schema.get("additionalProperties", False)
        for name in set(schema.get("required", [])) - set(value):
            yield f"{where}.{name}: is missing"
        for name, item in value.items():
            if name in properties:
                yield from self.faults(properties[name], item, f"{where}.{name}")
            elif further is False:
                yield f"{where}.{name}: is not described"
            elif further is not True:
                yield from self.faults(further, item, f"{where}.{name}")


def _is(kind: str, value: Any) -> bool:
    """Whether a value is of a JSON type; Python takes true for a number, JSON does not."""
    return isinstance(value, _JSON_TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def read_contract(server: Server) -> Contract:
    """What this server publishes."""
    return Contract(httpx.get(f"{server.url}/api/openapi.json").raise_for_status().json())
