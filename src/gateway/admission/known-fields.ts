import { isAnswerLimit } from '#chat/answer-limit.ts'
import { Fault } from '#platform/core/fault.ts'
import { printable } from '#platform/text/printable.ts'
import { clients } from '../clients/clients.ts'
import type { Forms } from '../pricing/bill.ts'
import type { Body } from '../protocol/protocol.ts'

/**
 * Further fields that providers accept and that cannot raise the cost beyond the reservation: they control how tokens
 * are chosen or what is read, or the price calculation reads them.
 */
const harmless = [
  ...['audio', 'chat_template_kwargs', 'client_metadata', 'documents', 'enable_thinking', 'function_call', 'functions'],
  ...['grammar', 'guided_choice', 'guided_grammar', 'guided_json', 'guided_regex', 'include_reasoning', 'min_tokens'],
  ...['output_config', 'prediction', 'prompt_cache_retention', 'random_seed', 'repeat_penalty', 'safe_prompt'],
  ...[
    'safety_settings',
    'speed',
    'stop_sequences',
    'stop_token_ids',
    'structured_outputs',
    'system',
    'text',
    'thinking',
  ],
  ...['typical_p', 'web_search_options', 'search_parameters', 'enable_search'],
]

const known: ReadonlySet<string> = new Set([
  ...clients.flatMap(({ operation }) => Object.keys(operation.request.shape)),
  ...harmless,
])

/** Names within those fields by which it is judged who said what, what it may cost, and what is kept of it. */
const within: ReadonlySet<string> = new Set([
  ...['role', 'content', 'type', 'text', 'name', 'thinking', 'refusal', 'tool_calls', 'tool_call_id', 'tool_use_id'],
  ...['function', 'arguments', 'parameters', 'input', 'input_schema', 'output', 'call_id', 'summary', 'strict'],
  ...['image_url', 'input_image', 'audio_url', 'input_audio', 'video_url', 'file', 'file_id', 'file_url', 'file_data'],
  ...['filename', 'url', 'data', 'source', 'media_type', 'detail', 'cache_control', 'ttl', 'effort', 'enabled'],
  ...['budget_tokens', 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'include_usage', 'format', 'schema'],
  ...['json_schema', 'search_context_size', 'max_uses', 'max_results', 'server_url', 'quality', 'size'],
])

/** Fields that hold what somebody made up, under names of their own. */
const free: ReadonlySet<string> = new Set([
  ...['metadata', 'variables', 'arguments', 'args', 'parameters', 'input_schema', 'schema', 'properties', 'headers'],
  ...[
    'env',
    'trace',
    'client_metadata',
    'chat_template_kwargs',
    'extra_body',
    'logit_bias',
    'image_config',
    'documents',
  ],
])

/**
 * Some providers read names in any case (all that are written in Go): of `model` and `Model` they would take the one that
 * is not looked at here. @throws Fault `invalid`.
 */
export function requirePlainNames(body: Body): void {
  for (const name in body) {
    if (known.has(name) || isAnswerLimit(name)) {
      requirePlainWithin(body[name], name)
      continue
    }
    const folded = foldedName(name)
    if (folded !== name && (known.has(folded) || isAnswerLimit(folded))) throw notPlain(name, folded)
  }
}

function requirePlainWithin(value: unknown, field: string): void {
  if (typeof value !== 'object' || value === null || free.has(field)) return
  if (Array.isArray(value)) {
    for (const one of value) requirePlainWithin(one, '')
    return
  }
  // The input of a call, as opposed to that of a request, which is a list.
  if (field === 'input') return
  for (const name in value) {
    const folded = within.has(name) ? name : foldedName(name)
    if (folded !== name && within.has(folded)) throw notPlain(name, folded)
    requirePlainWithin((value as Body)[name], name)
  }
}

const notPlain = (name: string, folded: string) =>
  new Fault('invalid', `Invalid request: ${printable(name)}: some providers take it for "${folded}"; write it so`)

/** As those fold it who know Unicode: the long s and the sign for Kelvin are letters, too. */
const foldedName = (name: string) => name.toUpperCase().toLowerCase()

/**
 * A request without the fields that this service does not know, for requests that a limit counts: an unknown field can
 * mean more or longer answers at some provider.
 * @returns the request, and the names of the removed fields of its body.
 */
export function withoutUnknownFields<F extends Forms>(forms: F): { forms: F; removed: string[] } {
  const { known: body, unknown: removed } = splitFields(forms.body)
  const { known: chat, unknown: removedFromChat } =
    forms.chat === forms.body ? { known: body as F['chat'], unknown: removed } : splitFields(forms.chat)
  if (removed.length === 0 && removedFromChat.length === 0) return { forms, removed }
  return { forms: { ...forms, body, chat }, removed }
}

/** A body without unknown fields, and their names. A body without any is returned as it is. */
function splitFields<B extends Body>(body: B): { known: B; unknown: string[] } {
  const unknown: string[] = []
  for (const name in body) if (!isKnownField(name)) unknown.push(name)
  if (unknown.length === 0) return { known: body, unknown }
  // Built from what it keeps: deleting a field from an object of 100,000 costs more than reading all of them.
  const kept: Body = {}
  for (const name in body) if (isKnownField(name)) kept[name] = body[name]
  return { known: kept as B, unknown }
}

const isKnownField = (name: string) => known.has(name) || isAnswerLimit(name)
