import { bytesOfJson, withChanges } from '#platform/json/json-members.ts'
import { type PassthroughRewriter, withChangesIn } from '../../protocol/passthrough-rewriter.ts'
import type { AnswerHead } from '../../protocol/protocol.ts'
import { settings } from './object.ts'

/** Fields that official clients need, though some upstreams do not send them back. */
const needed = [
  ...['instructions', 'metadata', 'parallel_tool_calls', 'temperature', 'tool_choice', 'tools', 'top_p'],
  ...['frequency_penalty', 'presence_penalty'],
]

/** Answers of responses upstreams. Pieces of one say nothing of who answers, and pass as they are. */
export function responsesRewriter({ model, provider, createdSeconds, request = {} }: AnswerHead): PassthroughRewriter {
  const asked = settings(request)
  const changes = {
    set: { model: bytesOfJson(model), provider: bytesOfJson(provider ?? null) },
    fill: {
      object: '"response"',
      created_at: String(createdSeconds),
      completed_at: 'null',
      error: 'null',
      incomplete_details: 'null',
      ...Object.fromEntries(needed.map((name) => [name, bytesOfJson(asked[name])])),
    },
  }
  return {
    event: (raw) => (raw.includes('"response"') ? withChangesIn(raw, 'response', changes) : raw),
    whole: (answer) => withChanges(answer, answer.indexOf('{'), changes),
  }
}
