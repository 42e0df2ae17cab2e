import type { Generation } from '../api/types.ts'
import { ruleLabel } from '../components/rule-label.ts'

export type Tone = 'ok' | 'warn' | 'bad'

type OutcomeFields = Pick<Generation, 'outcome' | 'attempts' | 'error'>

/** The outcome of a request and its severity. */
export function outcomeOf({ outcome, attempts, error }: OutcomeFields): { says: string; tone: Tone } {
  if (outcome === 'refused') return { says: `refused: ${reasonOf(error)}`, tone: 'bad' }
  if (outcome === 'failed') return { says: `failed: ${reasonOf(error)}`, tone: 'bad' }
  if (outcome === 'client_left') return { says: 'client left', tone: 'warn' }
  const attempted = attempts.filter((attempt) => attempt.outcome !== 'circuit_open').length
  return attempted > 1 ? { says: `${ordinal(attempted)} answered`, tone: 'ok' } : { says: 'answered', tone: 'ok' }
}

function reasonOf(error: OutcomeFields['error']): string {
  if (error?.rule) return ruleLabel(error.rule)
  return failureWords[error?.kind ?? ''] ?? (error?.kind ?? 'unknown').replaceAll('_', ' ')
}

/** Short descriptions of failures. */
export const failureWords: Record<string, string> = {
  answered: 'answered',
  broke: 'interrupted',
  client_left: 'client left',
  circuit_open: 'skipped: open circuit',
  rate_limited: 'rate limited',
  unauthenticated: 'credential rejected',
  payment_required: 'limit reached',
  bad_gateway: 'upstream failed',
  gateway_timeout: 'timeout',
  unavailable: 'unavailable',
  not_found: 'no such model',
  invalid: 'invalid',
  forbidden: 'forbidden',
  internal: 'internal error',
}

function ordinal(count: number): string {
  return `${count}${['th', 'st', 'nd', 'rd'][count < 4 ? count : 0]}`
}
