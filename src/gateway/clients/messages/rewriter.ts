import { bytesOfJson, withChanges } from '#platform/json/json-members.ts'
import { type PassthroughRewriter, withChangesIn } from '../../protocol/passthrough-rewriter.ts'
import type { AnswerHead } from '../../protocol/protocol.ts'
import { StreamCallRepair, withAssembledCalls } from './call-repair.ts'

/**
 * Rewrites Anthropic's answers: the model and the provider get the names of the catalogue, which only the first event of a
 * stream has. Tool calls that violate the protocol are repaired.
 */
export function messagesRewriter(head: AnswerHead): PassthroughRewriter {
  const { model, provider } = head
  const changes = { set: { model: bytesOfJson(model), provider: bytesOfJson(provider ?? null) }, fill: {} }
  const calls = new StreamCallRepair(head)
  return {
    event: (raw, events = []) =>
      calls.repaired(raw.includes('message_start') ? withChangesIn(raw, 'message', changes) : raw, events),
    rest: (events) => calls.rest(events),
    whole: (answer, events = []) => {
      const repaired = withAssembledCalls(answer, events)
      return withChanges(repaired, repaired.indexOf('{'), changes)
    },
  }
}
