import { Fault } from '#platform/core/fault.ts'
import type { Cause } from '#spend/ledger/generation.ts'

const maxMessageLength = 300

/** `Invalid request: messages[0].content: …`: the place is told, what stands there is not. */
const place = /^Invalid request: ([\w.[\]]{1,100}):/

/** Why a request was refused or failed, for the log and the record: nothing of what was asked or answered. */
export function causeOf(error: unknown): Cause {
  if (!(error instanceof Fault)) return { kind: 'internal' }
  const { guardrail_id: guardrailId, rule, excluded, provider_name } = error.details.metadata ?? {}
  const message = provider_name === undefined ? publicMessage(error) : undefined
  return {
    kind: error.kind,
    ...(message && { message }),
    ...(typeof guardrailId === 'string' && { guardrailId }),
    ...(typeof rule === 'string' && { rule }),
    ...(Array.isArray(excluded) && excluded.length > 0 && { excluded }),
  }
}

/** A provider's words may repeat what it was asked, and so may those about a request that is not valid. */
function publicMessage({ kind, message }: Fault): string | undefined {
  if (kind === 'invalid') return place.exec(message)?.[1]
  return message.slice(0, maxMessageLength)
}
