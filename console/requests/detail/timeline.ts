import type { Generation } from '../../api/types.ts'
import { ruleLabel } from '../../components/policy/rule-label.ts'
import { countText, exactCount } from '../../format/count.ts'
import { duration } from '../../format/time.ts'
import { attemptReason, failureReason, outcomeLabels, skipReason } from '../list/failure-reason.ts'

export type Step = {
  label: string
  /** The reason or the result. */
  text?: string | undefined
  /** Milliseconds since the arrival of the request; undefined for steps without a duration. */
  from?: number
  ms?: number
  tone: 'quiet' | 'wait' | 'work' | 'bad'
  /** The duration, with its unit. */
  duration: string
  /** The path of the page with the setting that decided it. */
  href?: string
  /** The relative token rate in intervals of `every` ms; 1 is the fastest. */
  pace?: { every: number; shares: number[] }
}

/** The steps of a request on one time axis. Skipped endpoints are steps too. */
export function timelineOf(generation: Generation): Step[] {
  const { attempts, error, outcome } = generation
  const madeAttempts = attempts.filter((attempt) => attempt.outcome !== 'circuit_open')
  const total = generation.generation_time ?? 0
  /** The time without an attempt, shown before the first one. */
  const planMs = Math.max(0, total - madeAttempts.reduce((sum, { duration: ms }) => sum + ms, 0))
  return [
    ...presetStep(generation),
    ...guardrailSteps(generation),
    ...(outcome === 'refused' ? [] : [planStep(generation, planMs)]),
    // If no endpoint was usable, the error lists the excluded ones, usually few. Otherwise `not_asked` lists them.
    ...(error?.excluded ?? []).map(({ endpoint, reason }) => excludedStep(endpoint, skipReason(reason))),
    ...skippedSteps(generation.not_asked, 'left_out'),
    ...attemptSteps(generation, planMs),
    ...skippedSteps(generation.not_asked, 'behind'),
    ...(outcome === 'refused' ? [] : [meterStep(generation)]),
  ]
}

const excludedStep = (endpoint: string, text: string): Step => ({
  label: endpoint,
  text: `excluded: ${text}`,
  tone: 'quiet',
  duration: '',
})

const maxNames = 3

/**
 * One step for each reason, because a model can have dozens of endpoints. `left_out` endpoints were excluded before the order was
 * determined; `behind` are those with a lower rank, which were not needed.
 */
function skippedSteps(skipped: Generation['not_asked'], standing: 'behind' | 'left_out'): Step[] {
  const matching = skipped.filter((one) => one.standing === standing)
  return [...Map.groupBy(matching, ({ reason }) => reason)].map(([reason, withReason]) => {
    const names = withReason.map(({ endpoint_id }) => endpoint_id.slice(endpoint_id.indexOf('@') + 1))
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
    const words = skipReason(reason)
    const text = standing === 'behind' ? words : `excluded: ${words}`
    return { label: names.slice(0, maxNames).join(', ') + more, text, tone: 'quiet', duration: '' }
  })
}

function presetStep({ preset }: Generation): Step[] {
  if (!preset) return []
  const href = `/presets/${encodeURIComponent(preset.slug)}`
  return [{ label: `preset ${preset.slug}`, text: `version ${preset.version}`, tone: 'quiet', duration: '', href }]
}

function guardrailSteps(generation: Generation): Step[] {
  const { error, outcome, content_findings } = generation
  const findings = content_findings.map(({ guardrail_id, rule, action, count }): Step => {
    const text = `${action === 'redact' ? 'redacted' : 'flagged'} ${exactCount(count)} ${ruleLabel(rule)}`
    return { label: 'guardrail', text, tone: 'quiet', duration: '', href: `/guardrails/${guardrail_id}` }
  })
  if (outcome !== 'refused')
    return findings.length > 0 ? findings : [{ label: 'guardrails', text: 'allowed', tone: 'quiet', duration: '' }]
  const rule = failureReason(generation)
  const step: Step = { label: error?.guardrail_id ? 'guardrail' : 'refused', text: rule, tone: 'bad', duration: '' }
  return [...findings, error?.guardrail_id ? { ...step, href: `/guardrails/${error.guardrail_id}` } : step]
}

/** The order of the endpoints. */
const orders: Record<NonNullable<Generation['ordered_by']>, string> = {
  draw: 'weighted random, cheaper first',
  order: 'in the order of the request',
  price: 'cheapest first',
  throughput: 'highest throughput first',
  latency: 'lowest latency first',
}

function planStep(generation: Generation, planMs: number): Step {
  const { candidate_models, requested_model, attempts, not_asked, ordered_by } = generation
  const endpoints = attempts.length + not_asked.filter(({ standing }) => standing === 'behind').length
  const parts = [
    candidate_models.length > 1 && countText(candidate_models.length, 'model'),
    ordered_by && `${countText(endpoints, 'endpoint')}, ${orders[ordered_by]}`,
  ]
  const text = attempts.length === 0 ? `no endpoint for ${requested_model}` : parts.filter(Boolean).join(', ')
  return { label: 'plan', text: text || undefined, from: 0, ms: planMs, tone: 'quiet', duration: duration(planMs) }
}

function attemptSteps(generation: Generation, planMs: number): Step[] {
  let at = planMs
  return generation.attempts.flatMap((attempt) => {
    if (attempt.outcome === 'circuit_open')
      return [excludedStep(attempt.provider_name, attempt.reason ?? 'open circuit')]
    const from = at
    at += attempt.duration
    return stepsOf(generation, attempt, from)
  })
}

type Attempt = Generation['attempts'][number]

/** The phases of an attempt: connect, first byte, first token, further tokens. */
function stepsOf({ latency, tokens_completion, attempts, pace }: Generation, attempt: Attempt, from: number): Step[] {
  const { outcome, duration: ms, reason } = attempt
  const isLast = attempt === attempts.at(-1)
  const hasResponse = ['answered', 'client_left', 'broke'].includes(outcome)
  const hasTokens = hasResponse && isLast && latency !== null && latency > from
  const end = from + ms
  const phases = [
    { text: 'connect', until: attempt.connect === null ? undefined : from + attempt.connect },
    { text: 'first byte', until: attempt.first_byte === null ? undefined : from + attempt.first_byte },
    { text: 'first token', until: hasTokens ? latency : undefined },
  ]
  let at = from
  const step = (text: string, until: number, tone: Step['tone']): Step => {
    const [start, ms] = [at, Math.max(0, until - at)]
    at = start + ms
    return { label: attempt.provider_name, text, from: start, ms, tone, duration: duration(ms) }
  }
  // Empty phases are omitted. Phases and durations are measured separately, so a phase can exceed the end.
  const waitSteps = phases.flatMap(({ text, until = at }) => {
    const phaseEnd = Math.min(until, end)
    return phaseEnd > at ? [step(text, phaseEnd, 'wait')] : []
  })
  const outcomeText = describeOutcome(outcome, reason)
  if (!hasResponse) return [...waitSteps, step(outcomeText, end, 'bad')]
  const tokens = isLast ? describeTokens(tokens_completion, pace) : undefined
  const text =
    outcome === 'answered' ? (tokens ?? outcomeText) : [tokens, outcomeLabels[outcome]].filter(Boolean).join(', then ')
  const last = step(text, end, outcome === 'broke' ? 'bad' : 'work')
  return [...waitSteps, isLast && pace ? { ...last, pace: sharesOf(pace) } : last]
}

/** Describes the outcome of an attempt, with the status code that the provider returned, if that is the reason. */
function describeOutcome(outcome: string, reason: string | undefined): string {
  const [, status] = /^status (\d+)$/.exec(reason ?? '') ?? []
  if (status) return `returned ${status}`
  return [outcomeLabels[outcome] ?? outcome, reason].filter(Boolean).join(': ')
}

type Pace = Generation['pace']

/** The number of tokens and the range of token rates, without the last, incomplete interval. */
function describeTokens(completion: number | null, pace: Pace): string {
  const all = countText(completion ?? 0, 'token')
  const rates = pace?.tokens.slice(0, -1).map((tokens) => Math.round((tokens / pace.every) * 1000)) ?? []
  if (rates.length < 2) return all
  const [min, max] = [Math.min(...rates), Math.max(...rates)]
  return `${all}, ${min === max ? max : `${min} to ${max}`} per second`
}

function sharesOf({ every, tokens }: NonNullable<Pace>): NonNullable<Step['pace']> {
  const max = Math.max(...tokens, 1)
  return { every, shares: tokens.map((count) => count / max) }
}

/** Describes the attempts of a failed request; undefined without attempts or if one was answered. */
export function failureSummary({ outcome, attempts }: Generation): string | undefined {
  const attempted = attempts.filter((attempt) => attempt.outcome !== 'circuit_open')
  if (outcome !== 'failed' || attempted.length === 0 || attempted.some((attempt) => attempt.outcome === 'answered'))
    return
  const descriptions = attempted.map((attempt) => `${attempt.provider_name} (${attemptReason(attempt)})`)
  return descriptions.length === 1
    ? `The only attempt failed: ${descriptions}.`
    : `All attempts failed: ${descriptions.join(', ')}.`
}

function meterStep(generation: Generation): Step {
  const { tokens_estimated, tokens_capped, is_byok, outcome, total_cost, tokens_prompt, tokens_completion } = generation
  if (outcome === 'failed' && total_cost + (tokens_prompt ?? 0) + (tokens_completion ?? 0) === 0)
    return { label: 'metering', text: 'nothing was charged', tone: 'quiet', duration: '' }
  const method = tokens_estimated
    ? 'tokens estimated'
    : tokens_capped
      ? 'tokens capped at the possible maximum'
      : 'tokens reported by the provider'
  const text = is_byok ? `${method}; paid with your own key` : method
  return { label: 'metering', text, tone: 'quiet', duration: '' }
}
