"""Holds requests against the types of the vendors' packages `anthropic`, `openai` and `ollama`, and the scripted server
against their clients. Ends with 77 where a package is missing."""

import json
import sys

try:
    import anthropic
    import ollama
    import openai
    from anthropic.types import message_create_params as anthropic_params
    from openai.types.chat import completion_create_params as chat_params
    from openai.types.responses import response_create_params as responses_params
    from pydantic import TypeAdapter, ValidationError
except ImportError as missing:
    print(f"the Python packages anthropic, openai and ollama are not installed ({missing})")
    sys.exit(77)


def read(protocol, url):
    """The text and the calls that the vendor's own client gets from a server."""
    asked = [{"role": "user", "content": "x"}]
    if protocol == "Anthropic":
        sdk = anthropic.Anthropic(api_key="x", base_url=url, max_retries=0)
        with sdk.messages.stream(model="m", max_tokens=9, messages=asked) as stream:
            message = stream.get_final_message()
        text = "".join(block.text for block in message.content if block.type == "text")
        return text, [(block.name, block.input) for block in message.content if block.type == "tool_use"]
    if protocol == "Ollama":
        text, calls = "", []
        for part in ollama.Client(host=url).chat(model="m", messages=asked, stream=True):
            text += part.message.content or ""
            calls += [(call.function.name, dict(call.function.arguments)) for call in part.message.tool_calls or []]
        return text, calls
    sdk = openai.OpenAI(api_key="x", base_url=url, max_retries=0)
    if protocol == "OpenAiResponses":
        last = list(sdk.responses.create(model="m", input="x", stream=True))[-1].response
        calls = [(item.name, json.loads(item.arguments)) for item in last.output if item.type == "function_call"]
        return last.output_text, calls
    text, calls = "", {}
    for chunk in sdk.chat.completions.create(model="m", messages=asked, stream=True):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for call in choice.delta.tool_calls or []:
                name, arguments = calls.get(call.index, ("", ""))
                calls[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    return text, [(name, json.loads(arguments)) for name, arguments in calls.values()]


def held_against_types(protocol, body):
    if protocol == "Ollama":
        from ollama._types import ChatRequest

        ChatRequest.model_validate(body)
        return
    types = {
        "Anthropic": anthropic_params.MessageCreateParamsStreaming,
        "OpenAiChat": chat_params.CompletionCreateParamsStreaming,
        "OpenAiResponses": responses_params.ResponseCreateParamsStreaming,
    }
    TypeAdapter(types[protocol]).validate_python(body, strict=False)


checked = 0
for line in sys.stdin:
    case = json.loads(line)
    if "body" in case:
        try:
            held_against_types(case["protocol"], json.loads(case["body"]))
        except ValidationError as error:
            print(case["protocol"], error)
            sys.exit(1)
    else:
        text, calls = read(case["protocol"], case["url"])
        assert (text, calls) == ("Said.", [("read", {"path": "a"})]), (case["protocol"], text, calls)
    checked += 1
print(f"{checked} checked")
