"""What no schema can say: which models, keys and members there are, and what else a valid body is refused for."""

import os
import re

import schemathesis

MODEL, KEY, MEMBER = (os.environ[name] for name in ("TEST_MODEL", "TEST_KEY_HASH", "TEST_MEMBER_ID"))
EMBEDDING_MODEL = "signalbox/demo-embedding"
COMPLETIONS = ("/chat/completions", "/responses", "/messages", "/messages/count_tokens")

# Refusals with 400 of what the description allows; any other is a fault of the description or of the service.
NOT_IN_SCHEMAS = [
    # What there is.
    r"\w+_id: (workspace|member) not found",
    r"starting_after: (event not found|is not the id of)|cursor: must be the next_cursor",
    r"agent: (no agent has this name|.* is not installed)",
    r"(: there is no (model|provider))|model: Model .* not found",
    r"provider: provider not found",
    r"is the name of no vendor here",
    r"this service has no (plugin|tool|transform)",
    r"this key belongs to another workspace",
    r"user_ids: the organization has no member",
    r"starting_after: must be the next_cursor",
    r"host: .* is not available",
    # What a file name, an archive, a URL and the name of a branch are.
    r"has a name that is too long",
    r"The archive is not a complete tar\.gz archive",
    r"repository\.url: must be an https:// URL|repository\.ref: must be the name of",
    # Now.
    r"date: must be one of the last 30 days",
    r"expires_at: expected an instant in the future",
    r"from: must be (before to|at most 92 days before to)",
    r"time_range: start must be before end",
    # What is stored, beside what is sent.
    r"is_fallback: cannot be set together with is_byok_only",
    # Integers that readers of JSON do not agree on.
    r"expected (int|number) to be [<>]=-?9007199254740991",
    # One item and another.
    r"repeats item \d+",
    # One parameter and another, which OpenAPI describes separately.
    r"tag_name: is required with by=tag, and only there",
    r"either model or endpoint_id is required",
    r"name either id, filters, or all=true",
    r"\w+: cannot be combined with \w+",
    # Parameters that only other services support.
    r"(modality|context_bucket|category|language_type): is not supported",
    # Text that cannot be kept.
    r"has text with the character U\+0000|must not contain the NUL character|half of a surrogate pair",
    # What the conversation says.
    r"the last message must have the role",
    r"session_id is required when the last message has the role",
    r"the text of the last message is empty",
    r"messages: have no content",
    r"input: is required, and must not be empty",
    r"this service stores no responses",
]
ALLOWED = re.compile("|".join(NOT_IN_SCHEMAS))


@schemathesis.hook
def before_call(context, case, kwargs):
    body = case.body
    if not isinstance(body, dict) or not case.meta or not case.meta.generation.mode.is_positive:
        return
    if case.path in COMPLETIONS:
        body["model"] = MODEL
        for name in ("models", "preset", "fallbacks"):
            body.pop(name, None)
    if case.path == "/embeddings":
        body["model"] = EMBEDDING_MODEL
        for name in ("models", "preset"):
            body.pop(name, None)
    if body.get("key_hashes"):
        body["key_hashes"] = [KEY]
    if body.get("member_user_ids"):
        body["member_user_ids"] = [MEMBER]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    # Lists of models treat a higher number than the highest like the highest.
    if failure.code == "ST201" and "models" in case.path:
        return not any(re.fullmatch(r"\d{16,}", str(value)) for value in (case.query or {}).values())
    if failure.code != "ST202":
        return True
    # Which version of an object is stored.
    if response.status_code == 412:
        return "if-match" not in {name.lower() for name in case.headers or {}}
    return not (response.status_code == 400 and ALLOWED.search(response.json()["error"]["message"]))
