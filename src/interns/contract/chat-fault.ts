import { Fault, type FaultKind } from '#platform/core/fault.ts'
import { fileRefusals, Refusal } from './refusal.ts'
import type { BudgetLimitName } from './turn-budget.ts'

/** The reasons of the chat route, and whether a retry can help. */
const retryableByReason = {
  attachment_failed: false,
  bad_request: false,
  busy: true,
  client_closed_request: false,
  interaction_not_pending: false,
  interaction_unknown: false,
  intern_not_ready: true,
  intern_rejected: false,
  intern_unreachable: true,
  not_found: false,
  payload_too_large: false,
  rate_limited: true,
  run_ended: false,
  stream_severed: true,
  timeout: true,
  turn_failed: false,
} as const satisfies Record<string, boolean>
export type ChatReason = keyof typeof retryableByReason

export const faultKindByStatus: Record<number, FaultKind> = {
  400: 'invalid',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  503: 'unavailable',
  504: 'gateway_timeout',
}

type ChatFaultOptions = { retryable?: boolean; retryAfterSeconds?: number; budget?: BudgetLimitName }

/** A refusal of the chat route, with its reason, and a header that says whether clients should retry. */
export function chatFault(kind: FaultKind, reason: ChatReason, message: string, options: ChatFaultOptions = {}): Fault {
  const retryable = options.retryable ?? retryableByReason[reason]
  const retryAfterSeconds = options.retryAfterSeconds ?? (reason === 'busy' || kind === 'unavailable' ? 1 : undefined)
  return new Fault(kind, message, {
    metadata: { reason, retryable, ...(options.budget && { budget: options.budget }) },
    headers: { 'x-should-retry': String(retryable) },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** A refusal by a guardrail, with the closest reason that the chat route has. */
export function guardrailRefusal({ kind, message, details }: Fault): Fault {
  if (kind === 'forbidden') return chatFault(kind, 'bad_request', message)
  if (kind === 'rate_limited') return chatFault(kind, 'rate_limited', message, details)
  return new Fault(kind, message)
}

/** A refusal of the intern's daemon, as an error for the caller. */
export function refusalToChatFault(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { code, reason, message, retryable } = error
  // Only a compromised daemon answers a turn with the refusal of a file. All other refusals have a reason of this route.
  if (Object.hasOwn(fileRefusals, error.kind)) return chatFault('bad_gateway', 'intern_rejected', message)
  return chatFault(faultKindByStatus[code] ?? 'bad_gateway', reason as ChatReason, message, { retryable })
}

/**
 * Adds the reason of this route to a fault of an unreadable body, which is thrown before the handler. Faults of all routes, such as
 * `unauthenticated`, stay unchanged.
 */
export function addChatReason(fault: Fault): Fault {
  if (fault.details.metadata) return fault
  if (fault.kind === 'invalid') return chatFault('invalid', 'bad_request', fault.message)
  if (fault.kind === 'payload_too_large') return chatFault('payload_too_large', 'payload_too_large', fault.message)
  return fault
}
