import { isOutputLimit } from '#chat/tokens/output-limit.ts'
import { Fault } from '#platform/core/fault.ts'
import { printable } from '#platform/text/printable.ts'
import { clientProtocols } from '../clients/client-protocols.ts'
import type { BodiesWithProtocol } from '../pricing/extra-usage-bound.ts'
import type { Body } from '../protocol/request-body.ts'

/** Fields that no client protocol has, and that cannot raise the cost at a provider beyond the reservation. */
const harmlessFields = [
  'audio',
  'chat_template_kwargs',
  'client_metadata',
  'documents',
  'enable_thinking',
  'function_call',
  'functions',
  'grammar',
  'guided_choice',
  'guided_grammar',
  'guided_json',
  'guided_regex',
  'include_reasoning',
  'min_tokens',
  'output_config',
  'prediction',
  'prompt_cache_retention',
  'random_seed',
  'repeat_penalty',
  'safe_prompt',
  'safety_settings',
  'speed',
  'stop_sequences',
  'stop_token_ids',
  'structured_outputs',
  'system',
  'text',
  'thinking',
  'typical_p',
  'web_search_options',
  'search_parameters',
  'enable_search',
  // Options of embeddings. If `withoutUnknownFields` removed them, the vectors of a limited key would differ from those of others.
  'embedding_type',
  'late_chunking',
  'modality',
  'normalized',
  'output_dimension',
  'output_dtype',
  'task',
  'truncate',
]

const knownFields: ReadonlySet<string> = new Set([
  ...clientProtocols.flatMap(({ operation }) => Object.keys(operation.request.shape)),
  ...harmlessFields,
])

/** Nested fields that decide about roles, costs or storage. */
const checkedNestedFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'type',
  'text',
  'name',
  'thinking',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'tool_use_id',
  'function',
  'arguments',
  'parameters',
  'input',
  'input_schema',
  'output',
  'call_id',
  'summary',
  'strict',
  'image_url',
  'input_image',
  'audio_url',
  'input_audio',
  'video_url',
  'file',
  'file_id',
  'file_url',
  'file_data',
  'filename',
  'url',
  'data',
  'source',
  'media_type',
  'detail',
  'cache_control',
  'ttl',
  'effort',
  'enabled',
  'budget_tokens',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'include_usage',
  'format',
  'schema',
  'json_schema',
  'search_context_size',
  'max_uses',
  'max_results',
  'server_url',
  'quality',
  'size',
])

/** Fields whose nested fields have arbitrary names. */
const freeFormFields: ReadonlySet<string> = new Set([
  'metadata',
  'variables',
  'arguments',
  'args',
  'parameters',
  'input_schema',
  'schema',
  'properties',
  'headers',
  'env',
  'trace',
  'client_metadata',
  'chat_template_kwargs',
  'extra_body',
  'logit_bias',
  'image_config',
  'documents',
])

/**
 * Refuses field names that differ from a known one only by case. Providers written in Go ignore case, so `Model` could
 * override the checked `model`. @throws Fault `invalid`.
 */
export function refuseMiscasedNames(body: Body): void {
  for (const name in body) {
    if (knownFields.has(name) || isOutputLimit(name)) {
      refuseMiscasedNestedNames(body[name], name)
      continue
    }
    const folded = foldedName(name)
    if (folded !== name && (knownFields.has(folded) || isOutputLimit(folded))) throw foldedNameFault(name, folded)
  }
}

function refuseMiscasedNestedNames(value: unknown, field: string): void {
  if (typeof value !== 'object' || value === null || freeFormFields.has(field)) return
  if (Array.isArray(value)) {
    // An item has no field name, so it is not skipped like a field with arbitrary names.
    for (const item of value) refuseMiscasedNestedNames(item, '')
    return
  }
  // An `input` that is an object is the input of a tool, which has arbitrary names. The `input` of a request is a list.
  if (field === 'input') return
  for (const name in value) {
    const folded = checkedNestedFields.has(name) ? name : foldedName(name)
    if (folded !== name && checkedNestedFields.has(folded)) throw foldedNameFault(name, folded)
    refuseMiscasedNestedNames((value as Body)[name], name)
  }
}

const foldedNameFault = (name: string, folded: string) =>
  new Fault('invalid', `Invalid request: ${printable(name)}: some providers read it as "${folded}"; use that name`)

/** Folds case like Unicode-aware parsers: also the long s and the Kelvin sign. */
const foldedName = (name: string) => name.toUpperCase().toLowerCase()

/**
 * Removes the fields that this service does not know from a request that a limit counts. An unknown field can mean more or
 * longer responses at some provider.
 * @param bodies `body` is the request in the client's protocol, and `chat` the same request as a chat request. They are one
 * object if the client's protocol is chat completions.
 * @returns the request, and the names of the removed fields of its body.
 */
export function withoutUnknownFields<F extends BodiesWithProtocol>(bodies: F): { bodies: F; removed: string[] } {
  const { body, removed } = removeUnknownFields(bodies.body)
  const { body: chat, removed: removedFromChat } =
    bodies.chat === bodies.body ? { body: body as F['chat'], removed } : removeUnknownFields(bodies.chat)
  if (removed.length === 0 && removedFromChat.length === 0) return { bodies, removed }
  return { bodies: { ...bodies, body, chat }, removed }
}

/** A body without unknown fields, and their names. A body without any is returned as it is. */
function removeUnknownFields<B extends Body>(body: B): { body: B; removed: string[] } {
  const removed: string[] = []
  for (const name in body) if (!isKnownField(name)) removed.push(name)
  if (removed.length === 0) return { body, removed }
  // Copies the known fields, because deleting from an object with 100,000 fields is slow.
  const copy: Body = {}
  for (const name in body) if (isKnownField(name)) copy[name] = body[name]
  return { body: copy as B, removed }
}

const isKnownField = (name: string) => knownFields.has(name) || isOutputLimit(name)
