import { applyChanges, toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import type { ResponseHead } from '../../../protocol/client-protocol.ts'
import { findObjectStart, type PassthroughRewriter } from '../../../protocol/passthrough-rewriter.ts'
import { findSignatures } from '../reasoning.ts'
import { createChatWriter } from '../writer.ts'
import { isIncomplete, needsRewriteInChoice } from './choice-check.ts'
import { type RewriteOptions, rewriteJson, withRewrittenLine } from './choice-rewrite.ts'
import { EventPrefix } from './event-prefix.ts'
import { FirstDeltas } from './first-deltas.ts'
import type { RawChoice } from './raw-choice.ts'
import { ResponseRepair } from './response-repair.ts'

/**
 * Rewrites responses of chat upstreams: adds missing fields, removes nulls that clients reject, and corrects tool calls and
 * finish reasons that violate the protocol.
 */
export function createChatRewriter(head: ResponseHead): PassthroughRewriter {
  const { createdSeconds, request } = head
  const repair = new ResponseRepair(Array.isArray(request?.functions))
  return {
    rewriteEvent: createEventRewriter(head, repair),
    writeRemaining: (events) => {
      const writer = createChatWriter(head, { includeUsage: true, isStarted: true })
      return events.map(writer.event).join('')
    },
    rewriteWhole(response, body, events) {
      const { choices } = body as { choices?: RawChoice[] | null }
      const repairs = repair.findWholeRepairs(choices ?? [], events)
      const signatures = findSignatures(events, response)
      const isBroken = repairs !== undefined || !choices || choices.some(isIncomplete) || signatures.length > 0
      const changed = isBroken ? rewriteJson(response, { field: 'message', head, repairs, signatures }) : response
      const created = String(createdSeconds)
      const fill = { id: toLatin1Json(head.id), created, object: '"chat.completion"', system_fingerprint: 'null' }
      return applyChanges(changed, changed.indexOf('{'), { set: toHeadFields(head), fill, notNull: ['usage'] })
    },
  }
}

function toHeadFields({ model, provider }: ResponseHead) {
  return { model: toLatin1Json(model), provider: toLatin1Json(provider ?? null) }
}

/**
 * Rewrites the events of a stream. Most start with the bytes of an earlier event: of these only the rest is searched, and
 * nothing is parsed.
 */
function createEventRewriter(head: ResponseHead, repair: ResponseRepair): PassthroughRewriter['rewriteEvent'] {
  const { id, createdSeconds } = head
  const eventPrefix = new EventPrefix('choices', 'usage', () => ({
    set: toHeadFields(head),
    fill: { id: toLatin1Json(id), created: String(createdSeconds), object: '"chat.completion.chunk"' },
    // Official clients refuse these as null.
    notNull: ['usage', 'system_fingerprint'],
  }))
  const firstDeltas = new FirstDeltas(head.request?.n)
  let lacksIndex = false
  return (raw, events) => {
    const rest = eventPrefix.matchRest(raw)
    const searchedText = rest ?? raw.toString('latin1')
    const { isFirstOfStream, lacksRole } = firstDeltas.take(searchedText, raw)
    if (isFirstOfStream) lacksIndex = !searchedText.includes('"index"')
    const repairs = events && repair.findRepairs(searchedText, events, raw)
    const signatures = findSignatures(events, searchedText)
    const isCorrect = !repairs && !lacksRole && !lacksIndex && signatures.length === 0
    if (rest !== undefined && isCorrect && !needsRewriteInChoice(rest)) return eventPrefix.rewrite(raw, rest)
    const text = rest === undefined ? searchedText : raw.toString('latin1')
    const from = findObjectStart(text)
    if (from === -1) return raw
    const isChanged = !isCorrect || needsRewriteInChoice(text)
    const rewriting: RewriteOptions = { field: 'delta', head, repairs, lacksRole, signatures }
    const changed = isChanged ? withRewrittenLine(text, from, rewriting) : text
    return Buffer.from(eventPrefix.learn(changed, from), 'latin1')
  }
}
