import type { Verdict } from '#policy/guardrails/decide/find-violation.ts'
import { createRefusal } from '#policy/guardrails/decide/refusal.ts'
import { isClientTool } from '../pricing/billable-options.ts'
import type { RequestBodies } from '../pricing/extra-usage-bound.ts'
import type { Body } from '../protocol/request-body.ts'

type IsStored = (value: unknown) => boolean

/** Empty lists, null and false are not set. */
const isSet: IsStored = (value) => value != null && value !== false && !(Array.isArray(value) && value.length === 0)
const isSetExcept =
  (...harmless: unknown[]): IsStored =>
  (value) =>
    isSet(value) && !harmless.includes(value)

/** Fields that make the provider or a third party store content, with the values that do. */
const storingFields: Record<string, { reason: string; isStored: IsStored }> = {
  background: { reason: 'the provider stores responses of background requests', isStored: isSet },
  conversation: { reason: 'the provider stores conversations', isStored: isSet },
  prompt_cache_retention: {
    reason: 'a prompt cache outside memory stores prompts',
    isStored: isSetExcept('in_memory', 'in-memory'),
  },
  cached_content: { reason: 'a prompt cache outside memory stores prompts', isStored: isSet },
  cachedContent: { reason: 'a prompt cache outside memory stores prompts', isStored: isSet },
  container: { reason: 'a container stores its content', isStored: isSet },
  mcp_servers: { reason: 'a remote MCP server receives content', isStored: isSet },
  web_search_options: { reason: 'a search by the provider receives content', isStored: isSet },
  search_parameters: { reason: 'a search by the provider receives content', isStored: isSet },
  enable_search: { reason: 'a search by the provider receives content', isStored: isSet },
}

/**
 * Disables storage in a request. @throws Fault `forbidden` that names the guardrail, its rule and the field, if a field
 * requires storage.
 */
export function withoutStorage<F extends RequestBodies>(verdict: Verdict, bodies: F): F {
  for (const form of [bodies.chat, bodies.body] as Body[]) refuseStoringFields(verdict, form)
  return { ...bodies, chat: disableStore(bodies.chat), body: disableStore(bodies.body) }
}

function refuseStoringFields(verdict: Verdict, form: Body): void {
  for (const [field, { reason, isStored }] of Object.entries(storingFields)) {
    if (isStored(form[field])) throw createRefusal(verdict, `${field}: ${reason}`)
  }
  if (!Array.isArray(form.tools)) return
  for (const [index, tool] of form.tools.entries()) {
    const { type } = (tool ?? {}) as { type?: unknown }
    if (type === undefined || isClientTool(String(type))) continue
    const receiver = type === 'mcp' ? 'a remote MCP server' : 'a provider tool'
    throw createRefusal(verdict, `tools[${index}] (${quotedType(type)}): ${receiver} receives content and can store it`)
  }
}

/** The most characters of a type in a message, because clients can send any text. */
const maxTypeLength = 64

const quotedType = (type: unknown) => JSON.stringify(String(type).slice(0, maxTypeLength))

/** A missing `store` stays: it means no storage for chats, and the encoders of other protocols set it to false. */
function disableStore<Form extends object>(form: Form): Form {
  return (form as { store?: unknown }).store == null ? form : { ...form, store: false }
}
