import { truncateText } from '#platform/text/truncate.ts'
import type { Message, Usage } from '../../model/model.ts'

/** All events of a session that are stored. The state of a session follows from its entries in order. */
export type SessionEntry =
  | { type: 'session.created'; id: string; cwd: string; at: number }
  | { type: 'message.added'; message: Message; at: number }
  /** The model sees `summary` in place of all but the last `kept` messages of its context. */
  | { type: 'context.compacted'; summary: string; kept: number; at: number }
  | { type: 'permission.remembered'; operation: string; allowed: boolean; at: number }
  /** The usage of a helper. It does not measure this session's context. */
  | { type: 'helper.spent'; usage: Usage; at: number }
  | { type: 'usage.counted'; usage: Usage; model: string | undefined; at: number }

/** `context` contains the messages that the model sees. Compacted messages remain only in the stored entries. */
export type Session = {
  id: string
  cwd: string
  title: string | undefined
  updatedAt: number
  context: Message[]
  /** Decisions for the rest of the session, by operation. */
  rememberedDecisions: Map<string, boolean>
  costUsd: number | undefined
  /** The model's own count of the context at its last response, and the number of messages in the context then. */
  contextCount: { tokens: number; messages: number } | undefined
  model: string | undefined
}

export function createSession(id: string, cwd: string, at: number): Session {
  const initialValues = { title: undefined, costUsd: undefined, contextCount: undefined, model: undefined }
  return { id, cwd, updatedAt: at, context: [], rememberedDecisions: new Map(), ...initialValues }
}

/** Clients list sessions with one line each. */
const maxTitleLength = 80

/** Applies an entry to `session`. */
export function applyEntry(session: Session, entry: SessionEntry): void {
  session.updatedAt = entry.at
  switch (entry.type) {
    case 'session.created':
      return
    case 'message.added':
      session.context.push(entry.message)
      if (entry.message.role === 'user') session.title ??= truncateText(entry.message.text, maxTitleLength)
      return
    case 'context.compacted':
      session.context = [{ role: 'user', text: entry.summary }, ...takeLast(session.context, entry.kept)]
      session.contextCount = undefined
      return
    case 'permission.remembered':
      session.rememberedDecisions.set(entry.operation, entry.allowed)
      return
    case 'helper.spent':
      addCost(session, entry.usage)
      return
    case 'usage.counted': {
      const { promptTokens, completionTokens } = entry.usage
      addCost(session, entry.usage)
      session.contextCount = { tokens: promptTokens + completionTokens, messages: session.context.length }
      session.model = entry.model ?? session.model
      return
    }
    default:
      entry satisfies never
  }
}

function addCost(session: Session, { costUsd }: Usage): void {
  if (costUsd !== undefined) session.costUsd = (session.costUsd ?? 0) + costUsd
}

const takeLast = <T>(list: T[], count: number): T[] => (count === 0 ? [] : list.slice(-count))

/**
 * Adds a result to each call that has none, because a cancelled or killed turn leaves such calls, and models refuse a
 * conversation with them.
 */
export function addMissingResults(messages: Message[]): Message[] {
  const idsWithResult = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  return messages.flatMap((message): Message[] => {
    if (message.role !== 'assistant' || !message.calls) return [message]
    const missing = message.calls.filter((call) => !idsWithResult.has(call.id))
    return [message, ...missing.map((call) => ({ role: 'tool' as const, callId: call.id, text: interruptedNote }))]
  })
}

const interruptedNote = 'Interrupted: this call was not finished, and what it did is unknown.'
