import { Fault } from '#platform/core/fault.ts'
import type { Cause } from '#spend/ledger/generation.ts'
import { contextLengthExceeded } from '../plan/context-length.ts'

/** Limits the size of a ledger row. */
const maxMessageLength = 300

/** `Invalid request: messages[0].content: …`. Only the path is recorded, because the rest can repeat content. */
const invalidPath = /^Invalid request: ([\w.[\]]{1,100}):/

/** The reason for a refusal or failure, for the log and the record, without content of the request or response. */
export function toCause(error: unknown): Cause {
  if (!(error instanceof Fault)) return { kind: 'internal' }
  const { guardrail_id: guardrailId, rule, excluded, provider_name, error_type } = error.details.metadata ?? {}
  const message = provider_name === undefined ? publicMessage(error) : undefined
  return {
    kind: error.kind,
    ...(message && { message }),
    ...(error_type === contextLengthExceeded && { reason: contextLengthExceeded }),
    ...(typeof guardrailId === 'string' && { guardrailId }),
    ...(typeof rule === 'string' && { rule }),
    ...(Array.isArray(excluded) && excluded.length > 0 && { excluded }),
  }
}

/** The message without request content, which messages about invalid requests can repeat. */
function publicMessage({ kind, message }: Fault): string | undefined {
  if (kind === 'invalid') return invalidPath.exec(message)?.[1]
  return message.slice(0, maxMessageLength)
}
