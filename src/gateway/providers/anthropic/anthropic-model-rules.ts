import { createHash } from 'node:crypto'
import type { Body } from '../../protocol/protocol.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import { noteDropped } from '../../protocol/repairs/tool-repair.ts'
import { acceptsSampling, isBudgetModel } from './anthropic-thinking.ts'

type Turn = { role?: unknown; content?: unknown } | null

/** The rules of Claude that other servers of this protocol do not have. */
export const fitToClaude: Repair = (body, dropped) => {
  const { model } = body
  if (typeof model !== 'string' || !model.includes('claude')) return body
  return withAlternatingEnds(withAcceptedSampling(withAnonymousUser(body), model, dropped), model)
}

/** The most characters of a user's id. Claude also refuses e-mail addresses and telephone numbers. */
const maxUserId = 256
const personal = /@|^\+?[\d\s()-]{7,}$/

function withAnonymousUser(body: Body): Body {
  const { metadata } = body
  const id = (metadata as { user_id?: unknown } | null | undefined)?.user_id
  if (typeof id !== 'string' || (id.length <= maxUserId && !personal.test(id))) return body
  return { ...body, metadata: { ...(metadata as Body), user_id: createHash('sha256').update(id).digest('hex') } }
}

/** Models that accept only one of `temperature` and `top_p`. */
const oneOfBoth = /claude-(?:opus-4[-.][1-9]|sonnet-4[-.][5-9]|haiku-4[-.][5-9])(?!\d)/

function withAcceptedSampling(body: Body, model: string, dropped: string[]): Body {
  const refused = acceptsSampling(model)
    ? oneOfBoth.test(model) && body.temperature != null && body.top_p != null
      ? ['top_p']
      : []
    : ['temperature', 'top_p', 'top_k'].filter((name) => body[name] != null)
  if (refused.length === 0) return body
  const rest = { ...body }
  for (const name of refused) {
    if (rest[name] !== 1) noteDropped(dropped, name)
    delete rest[name]
  }
  return rest
}

/** A conversation starts with the user. Models without prefill also need the user at its end. */
function withAlternatingEnds(body: Body, model: string): Body {
  const turns = body.messages
  if (!Array.isArray(turns) || turns.length === 0) return body
  const isStarted = (turns[0] as Turn)?.role !== 'assistant'
  const isPrefilled = !isBudgetModel(model) && (turns.at(-1) as Turn)?.role === 'assistant'
  if (isStarted && !isPrefilled) return body
  const before = isStarted ? [] : [{ role: 'user', content: '.' }]
  const after = isPrefilled ? [{ role: 'user', content: 'Continue your answer exactly where it ends.' }] : []
  return { ...body, messages: [...before, ...turns, ...after] }
}
