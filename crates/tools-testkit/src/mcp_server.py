"""A scripted MCP server over stdio. Its script is a JSON file that is read again for every list and call:

tools      what it lists
calls      by tool, what it does when called: a list of steps
revision   "both" (default), "2025-11-25" or "2026-07-28"
start      steps before the first message is read
"""
import json
import os
import socket
import sys
import time

PATH = sys.argv[1]
out = sys.stdout


def script():
    with open(PATH) as file:
        return json.load(file)


def send(message):
    out.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    out.flush()


def attempt(action):
    try:
        return {"text": str(action())}
    except OSError as error:
        return {"text": "failed: " + type(error).__name__}


def run(steps, request):
    """The result of a call; None when it is never answered."""
    result = None
    for step in steps:
        for kind, value in step.items():
            if kind == "text":
                result = {"content": [{"type": "text", "text": value}]}
            elif kind == "result":
                result = value
            elif kind == "echo":
                result = {"content": [{"type": "text", "text": json.dumps(request["params"], sort_keys=True)}]}
            elif kind == "error":
                send({"id": request["id"], "error": value})
                return None
            elif kind == "raw":
                out.write(value.replace("$ID", json.dumps(request.get("id"))) + "\n")
                out.flush()
            elif kind == "noise":
                for number in range(value):
                    out.write("noise %d\n" % number)
                out.flush()
            elif kind == "bytes":
                chunk = "x" * min(value, 1 << 20)
                for _ in range(max(1, value >> 20)):
                    out.write(chunk)
                out.write("\n")
                out.flush()
            elif kind == "ask":
                send({"id": "asked", "method": value, "params": {}})
            elif kind == "form":
                # Asks while the call waits, and tells what was answered.
                send({"id": "form", "method": "elicitation/create", "params": value})
                for line in sys.stdin:
                    answer = json.loads(line)
                    if answer.get("id") == "form":
                        told = json.dumps(answer.get("result", answer.get("error")), sort_keys=True)
                        result = {"content": [{"type": "text", "text": told}]}
                        break
            elif kind == "wants":
                # Asks by its result, and tells what was answered.
                if "inputResponses" not in request["params"]:
                    return {"resultType": "input_required", "inputRequests": value, "requestState": "state"}
                told = {key: request["params"].get(key) for key in ("inputResponses", "requestState")}
                result = {"content": [{"type": "text", "text": json.dumps(told, sort_keys=True)}]}
            elif kind == "notify":
                send({"method": value})
            elif kind == "tools":
                changed = script()
                changed["tools"] = value
                with open(PATH, "w") as file:
                    json.dump(changed, file)
            elif kind == "stderr":
                sys.stderr.write(value + "\n")
                sys.stderr.flush()
            elif kind == "sleep":
                time.sleep(value)
            elif kind == "exit":
                os._exit(value)
            elif kind == "twice":
                send({"id": request["id"], "result": {"content": [{"type": "text", "text": value}]}})
            else:
                result = {"content": [{"type": "text", "text": did(kind, value)}]}
    return result


def did(kind, value):
    if kind == "environment":
        return json.dumps(dict(os.environ), sort_keys=True)
    if kind == "read":
        return attempt(lambda: open(value).read())["text"]
    if kind == "write":
        return attempt(lambda: open(value, "w").write("written"))["text"]
    if kind == "connect":
        host, port = value.rsplit(":", 1)
        return attempt(lambda: socket.create_connection((host, int(port)), 2).recv(5).decode())["text"]
    if kind == "pid":
        return str(os.getpid())
    if kind == "child":
        # A process that outlives the answer, as a careless server leaves one.
        if os.fork() == 0:
            os.setsid()
            time.sleep(value)
            os._exit(0)
        return "forked"
    return "unknown step " + kind


def main():
    run(script().get("start", []), {})
    for line in sys.stdin:
        request = json.loads(line)
        method, now = request.get("method"), script()
        revision = now.get("revision", "both")
        about = {"serverInfo": {"name": "scripted", "version": "1"}, "capabilities": {"tools": {"listChanged": True}}}
        if "id" not in request or method is None:
            continue
        if method == "initialize" and revision != "2026-07-28":
            send({"id": request["id"], "result": {"protocolVersion": "2025-11-25", **about}})
        elif method == "server/discover" and revision != "2025-11-25":
            info = {"supportedVersions": ["2026-07-28"], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            send({"id": request["id"], "result": {**info, **about}})
        elif method == "tools/list":
            modern = {} if revision == "2025-11-25" else {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            send({"id": request["id"], "result": {"tools": now.get("tools", []), **modern}})
        elif method == "tools/call":
            steps = now.get("calls", {}).get(request["params"]["name"], [{"text": "done"}])
            result = run(steps, request)
            if result is not None:
                modern = {} if revision == "2025-11-25" else {"resultType": "complete"}
                send({"id": request["id"], "result": {**modern, **result}})
        elif method == "ping":
            send({"id": request["id"], "result": {}})
        else:
            send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})


main()
