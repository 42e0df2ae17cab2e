import { applyChanges, toLatin1Json } from '#platform/json/json-members.ts'
import { changeMember, type PassthroughRewriter } from '../../protocol/passthrough-rewriter.ts'
import type { AnswerHead } from '../../protocol/protocol.ts'
import { StreamCallRepair, withAssembledCalls } from './call-repair.ts'
import { settingsWithDefaults } from './object.ts'

/** Fields that official clients need and some upstreams omit. */
const requiredFields = [
  'instructions',
  'metadata',
  'parallel_tool_calls',
  'temperature',
  'tool_choice',
  'tools',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
]

/**
 * Rewrites answers of responses upstreams: the model and the provider get the names of the catalogue. Tool calls that violate the
 * protocol are repaired; all other events pass as they are.
 */
export function responsesRewriter(head: AnswerHead): PassthroughRewriter {
  const { model, provider, createdSeconds, request = {} } = head
  const calls = new StreamCallRepair(head)
  const requestSettings = settingsWithDefaults(request)
  const changes = {
    set: { model: toLatin1Json(model), provider: toLatin1Json(provider ?? null) },
    fill: {
      object: '"response"',
      created_at: String(createdSeconds),
      completed_at: 'null',
      error: 'null',
      incomplete_details: 'null',
      ...Object.fromEntries(requiredFields.map((name) => [name, toLatin1Json(requestSettings[name])])),
    },
  }
  return {
    event: (raw, events = []) =>
      calls.repaired(raw.includes('"response"') ? changeMember(raw, 'response', changes) : raw, events),
    whole: (answer, events = []) => {
      const repaired = withAssembledCalls(answer, events)
      return applyChanges(repaired, repaired.indexOf('{'), changes)
    },
  }
}
