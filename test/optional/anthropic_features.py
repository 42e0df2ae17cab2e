"""Anthropic's Python client, every feature over every upstream protocol: a line of JSON for each cell."""

import base64
import json
import os
import sys
import traceback

import anthropic

key, base_url, upstreams = os.environ["API_KEY"], os.environ["BASE_URL"], sys.argv[1:]
client = anthropic.Anthropic(api_key=key, base_url=base_url, max_retries=0)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
PDF = base64.b64encode(b"%PDF-1.4 hello").decode()
WEATHER = {
    "name": "weather",
    "description": "Tells the weather.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
HI = [{"role": "user", "content": "Hi"}]


def ask(model, messages=HI, **more):
    return client.messages.create(model=model, max_tokens=2000, messages=messages, **more)


def streamed(model, messages=HI, **more):
    with client.messages.stream(model=model, max_tokens=2000, messages=messages, **more) as stream:
        for _ in stream.text_stream:
            pass
        return stream.get_final_message()


def failing(call, kind):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def whole(upstream):
    message = ask(f"{upstream}/text")
    assert text_of(message) and message.stop_reason == "end_turn" and message.usage.output_tokens > 0


def stream(upstream):
    message = streamed(f"{upstream}/text")
    assert text_of(message) == text_of(ask(f"{upstream}/text")) and message.usage.input_tokens > 0


def tools(upstream):
    message = ask(f"{upstream}/parallel-tools", tools=[WEATHER], tool_choice={"type": "any"})
    calls = [block for block in message.content if block.type == "tool_use"]
    assert message.stop_reason == "tool_use" and "city" in calls[0].input
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]
    turns = [*HI, {"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
    assert text_of(ask(f"{upstream}/text", turns, tools=[WEATHER]))


def parallel_tools(upstream):
    message = streamed(f"{upstream}/parallel-tools", tools=[WEATHER])
    calls = [block for block in message.content if block.type == "tool_use"]
    assert len(calls) == 2 and len({call.id for call in calls}) == 2 and all(call.input["city"] for call in calls)


def thinking(upstream):
    plain = {"openai-chat": "reasoning", "openai-responses": "reasoning"}
    model = f"{upstream}/{plain.get(upstream, 'thinking-tools')}"
    message = streamed(model, tools=[WEATHER], thinking={"type": "enabled", "budget_tokens": 1024})
    thoughts = [block for block in message.content if block.type == "thinking"]
    assert thoughts and thoughts[0].thinking
    assert any(block.type == "redacted_thinking" or getattr(block, "signature", "") for block in message.content)
    calls = [block for block in message.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "sunny"} for call in calls]
    turns = [*HI, {"role": "assistant", "content": message.content}, {"role": "user", "content": results or "Go on"}]
    thinks = {"type": "enabled", "budget_tokens": 1024}
    assert text_of(ask(f"{upstream}/text", turns, tools=[WEATHER], thinking=thinks))


def shown(kind, media_type, data):
    def feature(upstream):
        block = {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}
        content = [block, {"type": "text", "text": "What is it?"}]
        assert text_of(ask(f"{upstream}/text", [{"role": "user", "content": content}]))

    return feature


def cache_marks(upstream):
    mark = {"cache_control": {"type": "ephemeral"}}
    content = [{"type": "text", "text": "Long.", **mark}]
    turns = [{"role": "user", "content": content}]
    assert text_of(ask(f"{upstream}/text", turns, system=content, tools=[{**WEATHER, **mark}]))


def citations(upstream):
    for message in (ask(f"{upstream}/cited"), streamed(f"{upstream}/cited")):
        assert message.content[0].citations[0].url == "https://example.com/rome", message


def server_tools(upstream):
    search = [{"type": "web_search_20250305", "name": "web_search"}]
    if upstream == "anthropic-messages":
        return ask(f"{upstream}/text", tools=search)
    error = failing(lambda: ask(f"{upstream}/text", tools=search), anthropic.BadRequestError)
    assert "web_search_20250305" in error.message
    return "refused by name"


def count_tokens(upstream):
    raw = client.messages.with_raw_response.count_tokens(model=f"{upstream}/text", messages=HI)
    assert raw.parse().input_tokens > 1
    return "estimated" if raw.headers.get("x-tokens-estimated") else None


def errors(upstream):
    error = failing(lambda: ask(f"{upstream}/status-429"), anthropic.RateLimitError)
    assert error.body["error"]["type"] == "rate_limit_error" and error.request_id
    failing(lambda: ask(f"{upstream}/status-400"), anthropic.BadRequestError)
    failing(lambda: ask(f"{upstream}/no-such"), anthropic.NotFoundError)


def stream_errors(upstream):
    failing(lambda: streamed(f"{upstream}/error"), anthropic.APIError)


def models(upstream):
    assert f"{upstream}/text" in [model.id for model in client.models.list(limit=7)]
    assert client.models.retrieve(f"{upstream}/text").display_name == "text"


features = {
    "whole": whole,
    "streamed": stream,
    "tools": tools,
    "parallel tools": parallel_tools,
    "thinking, signatures": thinking,
    "images": shown("image", "image/png", PNG),
    "PDF": shown("document", "application/pdf", PDF),
    "cache marks": cache_marks,
    "citations": citations,
    "server tools": server_tools,
    "count_tokens": count_tokens,
    "errors": errors,
    "stream errors": stream_errors,
    "models": models,
}

for name, feature in features.items():
    for upstream in upstreams:
        try:
            note = feature(upstream)
            result = note if isinstance(note, str) else "ok"
        except Exception as error:  # noqa: BLE001: a cell that fails is told, and the others are tried
            where = traceback.extract_tb(error.__traceback__)[-1]
            result = f"FAILED line {where.lineno}: {type(error).__name__}: {error}"[:300]
        print(json.dumps({"feature": name, "upstream": upstream, "result": result}), flush=True)
