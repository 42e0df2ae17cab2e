import { bytesOfJson, withChanges } from '#lib/json-members.ts'
import { objectIn, type PassthroughRewriter } from '../../passthrough-rewriter.ts'
import type { AnswerHead } from '../../protocol.ts'

/** Answers of Anthropic's own: they say by the catalogue's name who answers. Only the first event of a stream does. */
export function messagesRewriter({ model, provider }: AnswerHead): PassthroughRewriter {
  const changes = { set: { model: bytesOfJson(model), provider: bytesOfJson(provider ?? null) }, fill: {} }
  return {
    event(raw) {
      if (!raw.includes('message_start')) return raw
      const text = raw.toString('latin1')
      const name = /"message"\s*:\s*\{/.exec(text)
      if (!name || objectIn(text) === -1) return raw
      return Buffer.from(withChanges(text, name.index + name[0].length - 1, changes), 'latin1')
    },
    whole: (answer) => withChanges(answer, answer.indexOf('{'), changes),
  }
}
