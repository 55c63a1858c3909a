"""Write down what the API promises, for the page's types: `python web/openapi.py > web/src/api/openapi.json`."""

import json
import sys

from pinakes.api.application import make_api


def describe() -> str:
    """The API's description as it is committed."""
    return json.dumps(make_api().openapi(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(describe())
