import type { Compatibility, Endpoint } from '#catalogue/index/model.ts'
import { anyCharacters } from '../openai-rules.ts'

/** A chat server's properties, and the ids of calls that it accepts. */
export type ChatDialect = Compatibility & {
  callIds?: { allowed: RegExp; maxLength: number }
  /** Whether it refuses strict schemas that leave a property optional. */
  checksStrict?: boolean
  /** Whether a reasoning model refuses a conversation with tool calls if an answer in it has no reasoning. */
  requiresReasoning?: boolean
}

const anywhere: ChatDialect = { lateSystemMessages: true, repeatedRoles: true }

const openai: ChatDialect = {
  ...anywhere,
  developerRole: true,
  callIds: { allowed: anyCharacters, maxLength: 40 },
  checksStrict: true,
}

const openaiItself: ChatDialect = { ...openai, reasoningField: 'none' }
const needingReasoning: ChatDialect = { reasoningField: 'reasoning_content', requiresReasoning: true }

/** Dialects of providers that differ from most. The catalogue defines those of custom providers. */
const dialects: Record<string, ChatDialect> = {
  openai: openaiItself,
  azure: openai,
  openrouter: { ...anywhere, developerRole: true, reasoningField: 'reasoning_details' },
  groq: { ...anywhere, reasoningField: 'reasoning' },
  cerebras: { reasoningField: 'reasoning' },
  xai: { ...anywhere, reasoningField: 'reasoning_content' },
  mistral: { ...anywhere, callIds: { allowed: /^[a-zA-Z0-9]{9}$/, maxLength: 9 }, reasoningField: 'thinking' },
  deepseek: needingReasoning,
  moonshotai: needingReasoning,
  'moonshotai-cn': needingReasoning,
  signalbox: { ...anywhere, developerRole: true },
}

export function dialectOf({ provider, compatibility }: Endpoint): ChatDialect {
  const builtin = Object.hasOwn(dialects, provider) ? dialects[provider]! : {}
  return compatibility ? { ...builtin, ...compatibility } : builtin
}
