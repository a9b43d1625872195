#!/usr/bin/env python3
"""Drives a server with the official Python SDK: lists the tools and runs bash, read, edit and grep on a git repository.

usage: python_client.py [--ask] -- COMMAND...
`{root}` in COMMAND is the repository, `{config}` a configuration that allows the four tools (with --ask: an empty one,
and every question of the server is answered with "once").
Needs the package `mcp` (2.3). Prints a PASS or FAIL line per check; the exit code is 0 when all passed.
"""
import asyncio
import pathlib
import subprocess
import sys
import tempfile

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

failures = 0
questions = []


def check(name, passed, shown=""):
    global failures
    failures += not passed
    print(f"{'PASS' if passed else 'FAIL'} {name}" + ("" if passed else f": {shown[:500]!r}"))


async def agree(context, params):
    questions.append(params.message)
    return ElicitResult(action="accept", content={"decision": "once"})


def text(result):
    return "".join(block.text for block in result.content if block.type == "text")


async def drive(label, command, root, mode, asking):
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=str(root))
    progress = []

    async def on_progress(done, total, message):
        progress.append(done)

    callback = agree if asking else None
    async with Client(server, mode=mode, elicitation_callback=callback, read_timeout_seconds=60) as client:
        print(f"# {label}: protocol {client.protocol_version}, server {client.server_info}")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check(f"{label} lists bash, read, edit, grep", {"bash", "read", "edit", "grep"} <= set(tools), str(sorted(tools)))
        annotated = all(tool.annotations is not None and tool.description for tool in tools.values())
        check(f"{label} describes and annotates every tool", annotated, str(tools))

        result = await client.call_tool("bash", {"command": "git log --oneline && git status --short"})
        check(f"{label} bash", not result.is_error and "add two files" in text(result), text(result))
        result = await client.call_tool("read", {"path": "README.md"})
        check(f"{label} read", not result.is_error and "A repository of two files." in text(result), text(result))
        edit = {"path": "README.md", "old_string": "two files", "new_string": f"two files, {label}"}
        result = await client.call_tool("edit", edit)
        check(f"{label} edit", not result.is_error, text(result))
        written = (root / "README.md").read_text()
        check(f"{label} edit reached the file", f"two files, {label}" in written, written)
        result = await client.call_tool("bash", {"command": "git diff --stat"})
        check(f"{label} git sees the edit", "README.md" in text(result), text(result))
        result = await client.call_tool("grep", {"pattern": "needle"})
        check(f"{label} grep", not result.is_error and "main.rs" in text(result), text(result))

        result = await client.call_tool("read", {"path": "missing.txt"})
        check(f"{label} a failure is a readable result", result.is_error and "[tool_error]" in text(result), text(result))
        result = await client.call_tool("bash", {"command": "sleep 1.5; echo slept"}, progress_callback=on_progress)
        check(f"{label} a slow call", "slept" in text(result), text(result))
        check(f"{label} progress rises", progress and progress == sorted(set(progress)), str(progress))
        if asking:
            check(f"{label} questions were asked", len(questions) > 0)


def main():
    arguments = sys.argv[1:]
    asking = "--ask" in arguments
    if "--" not in arguments or arguments[-1] == "--":
        sys.exit(__doc__)
    template = arguments[arguments.index("--") + 1 :]
    scripts = pathlib.Path(__file__).parent
    for mode, label in (("legacy", "handshake"), ("auto", "modern")):
        questions.clear()
        with tempfile.TemporaryDirectory() as temp:
            subprocess.run(["sh", str(scripts / "repository.sh"), temp], check=True)
            root, config = pathlib.Path(temp, "repo").resolve(), pathlib.Path(temp, "config.toml")
            if asking:
                config.write_text("")
            command = [part.replace("{root}", str(root)).replace("{config}", str(config)) for part in template]
            asyncio.run(drive(label, command, root, mode, asking))
    sys.exit(1 if failures else 0)


main()
