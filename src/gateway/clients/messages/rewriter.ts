import { bytesOfJson, withChanges } from '#platform/json/json-members.ts'
import { type PassthroughRewriter, withChangesIn } from '../../protocol/passthrough-rewriter.ts'
import type { AnswerHead } from '../../protocol/protocol.ts'

/** Answers of Anthropic's own: they say by the catalogue's name who answers. Only the first event of a stream does. */
export function messagesRewriter({ model, provider }: AnswerHead): PassthroughRewriter {
  const changes = { set: { model: bytesOfJson(model), provider: bytesOfJson(provider ?? null) }, fill: {} }
  return {
    event: (raw) => (raw.includes('message_start') ? withChangesIn(raw, 'message', changes) : raw),
    whole: (answer) => withChanges(answer, answer.indexOf('{'), changes),
  }
}
