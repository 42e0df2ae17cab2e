import type { ChatRequest } from '#chat/chat-request.ts'
import type { Verdict } from '#policy/guardrails/decide/judge.ts'
import { refusal } from '#policy/guardrails/decide/refusal.ts'
import { isClientTool } from '../pricing/billable-options.ts'
import type { Body } from '../protocol/protocol.ts'

/** A request in both its forms: as a chat, and in the client's own words. */
export type Forms = { chat: ChatRequest; body: Body }

type IsStored = (value: unknown) => boolean

const given: IsStored = (value) => value != null && value !== false && !(Array.isArray(value) && value.length === 0)
const unless =
  (...harmless: unknown[]): IsStored =>
  (value) =>
    given(value) && !harmless.includes(value)

/** Fields with which somebody keeps what is said, or hands it on to others; what each must say for that. */
const keeping: Record<string, { why: string; keeps: IsStored }> = {
  background: { why: 'an answer made in the background is kept by the provider', keeps: given },
  conversation: { why: 'a conversation is kept by the provider', keeps: given },
  prompt_cache_retention: {
    why: 'a cache of prompts outside memory keeps them',
    keeps: unless('in_memory', 'in-memory'),
  },
  cached_content: { why: 'a cache of prompts outside memory keeps them', keeps: given },
  cachedContent: { why: 'a cache of prompts outside memory keeps them', keeps: given },
  container: { why: 'a container keeps what is put into it', keeps: given },
  mcp_servers: { why: 'a remote MCP server is told what it is asked', keeps: given },
  web_search_options: { why: 'a search that the provider runs is told what it is asked', keeps: given },
  search_parameters: { why: 'a search that the provider runs is told what it is asked', keeps: given },
  enable_search: { why: 'a search that the provider runs is told what it is asked', keeps: given },
}

/**
 * A request as it may go where nothing is retained: storing is set off, and what cannot be done without somebody keeping
 * it is refused by its name. @throws Fault `forbidden` that names the guardrail, its rule and the field.
 */
export function withoutStorage<F extends Forms>(verdict: Verdict, forms: F): F {
  for (const form of [forms.chat, forms.body] as Body[]) refuseStored(verdict, form)
  return { ...forms, chat: notStoring(forms.chat), body: notStoring(forms.body) }
}

function refuseStored(verdict: Verdict, form: Body): void {
  for (const [field, { why, keeps }] of Object.entries(keeping)) {
    if (keeps(form[field])) throw refusal(verdict, `${field}: ${why}`)
  }
  if (!Array.isArray(form.tools)) return
  for (const [at, tool] of form.tools.entries()) {
    const { type } = (tool ?? {}) as { type?: unknown }
    if (type === undefined || isClientTool(String(type))) continue
    const what = type === 'mcp' ? 'a remote MCP server' : 'a tool that the provider runs'
    throw refusal(verdict, `tools[${at}] (${quotedType(type)}): ${what} is told what it is asked, and may keep it`)
  }
}

const quotedType = (type: unknown) => JSON.stringify(String(type).slice(0, 64))

function notStoring<Form extends object>(form: Form): Form {
  return (form as { store?: unknown }).store == null ? form : { ...form, store: false }
}
