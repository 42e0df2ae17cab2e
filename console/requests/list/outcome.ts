import type { Generation } from '../../api/types.ts'
import { failureReason } from './failure-reason.ts'

type Tone = 'ok' | 'warn' | 'bad'

type OutcomeFields = Pick<Generation, 'outcome' | 'attempts' | 'error'>

/** The outcome of a request and its severity. */
export function outcomeOf(request: OutcomeFields): { text: string; tone: Tone } {
  const { outcome, attempts } = request
  if (outcome === 'refused' || outcome === 'failed') return { text: failureReason(request), tone: 'bad' }
  if (outcome === 'client_left') return { text: 'client disconnected', tone: 'warn' }
  const attempted = attempts.filter((attempt) => attempt.outcome !== 'circuit_open').length
  return attempted > 1
    ? { text: `${ordinal(attempted)} attempt succeeded`, tone: 'ok' }
    : { text: 'success', tone: 'ok' }
}

function ordinal(count: number): string {
  return `${count}${['th', 'st', 'nd', 'rd'][count < 4 ? count : 0]}`
}
