import { ChatRequest } from '#chat/chat-request.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { readGeminiThinkingConfig, vendorReasoningFields } from '../reasoning-options.ts'
import type { Body } from '../request-body.ts'

/**
 * The fields among `names` that a request sets. `names` are fields that the provider protocol does not support; the response
 * lists the set ones in the header `x-fields-left-out`. Empty lists and objects do not count, because they request nothing.
 */
export function findSetFields(chat: Body, names: readonly string[]): string[] {
  return names.filter((name) => isSet(name, chat[name]))
}

/** Fields whose default is true. */
const defaultTrue: ReadonlySet<string> = new Set(['parallel_tool_calls'])

function isSet(name: string, value: unknown): boolean {
  if (value == null || value === defaultTrue.has(name)) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/** Fields outside the chat schema that are translated, or that only describe the client (`client_metadata`). */
const translatedFields: ReadonlySet<string> = new Set([
  'max_output_tokens',
  'max_new_tokens',
  'n_predict',
  'max_tool_calls',
  'prompt_cache_retention',
  'safety_settings',
  'web_search_options',
  'include_reasoning',
  'client_metadata',
  ...vendorReasoningFields,
])

/** The fields of a chat that only some providers define, so that other protocols have no counterpart. */
export function findUnknownFields(chat: Body): string[] {
  const isTranslated = (name: string) =>
    translatedFields.has(name) || (name === 'extra_body' && readGeminiThinkingConfig(chat) !== undefined)
  return Object.keys(chat).filter(
    (name) => !Object.hasOwn(ChatRequest.shape, name) && !isTranslated(name) && !serviceOnlyFields.has(name),
  )
}
