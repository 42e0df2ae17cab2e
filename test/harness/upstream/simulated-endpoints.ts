import type { Endpoint } from '#catalogue/index/model.ts'
import { admittedTargets } from '#gateway/attempt/admitted-targets.ts'
import { type Circuits, createCircuits } from '#gateway/plan/circuits.ts'
import { planAttempts } from '#gateway/plan/plan-attempts.ts'
import { candidateOf, endpointOf, planInput, seeded } from './candidates.ts'

/** How an endpoint treats a request that starts at `atMs`: the probability of a failure, and the time until then. */
export type Behaviour = (
  atMs: number,
  answersAfterMs: number,
) => { failureProbability: number; failsAfterMs?: number; retryAfterMs?: number; connectionLost?: boolean }

type Traffic = { perSecond?: number; seconds?: number; latencyMs?: number; seed?: number }

const startedAt = 1_000_000_000

/**
 * Simulates requests to endpoints on a virtual clock, with the real plan and circuits. A request is refused if no
 * endpoint could be tried. @returns the counts, the share of answered requests and the share of time with open circuits.
 */
export function simulate(behaviours: Behaviour[], traffic: Traffic = {}) {
  const { perSecond = 50, seconds = 300, latencyMs = 800, seed = 1 } = traffic
  const random = seeded(seed)
  const time = createTime()
  const circuits = createCircuits({ now: () => startedAt + time.now() })
  const endpoints = behaviours.map((_, at) => endpointOf(`p${at}`))
  const tally = { answered: 0, failed: 0, refused: 0, attempts: 0 }

  function send(attempts: ReturnType<typeof admittedTargets>, isFirst: boolean): void {
    const { value: attempt } = attempts.next()
    if (!attempt) return void tally[isFirst ? 'refused' : 'failed']++
    tally.attempts++
    const behave = behaviours[endpoints.indexOf(attempt.target.endpoint)]!
    const answersAfterMs = latencyMs * (0.5 + random())
    const { failureProbability: failing, failsAfterMs = 100, ...trouble } = behave(time.now(), answersAfterMs)
    const fails = random() < failing
    time.later(fails ? failsAfterMs : answersAfterMs, () => {
      if (!fails) tally.answered++
      if (!fails) return attempt.permit.answered()
      attempt.permit.failed(trouble)
      send(attempts, false)
    })
  }

  const access = { circuitNameOf: ({ id }: Endpoint) => id }
  const startRequest = () => send(admittedTargets(circuits, access, planned(circuits, endpoints, random)), true)
  let shut = 0
  for (let second = 0; second < seconds; second++) {
    for (let one = 0; one < perSecond; one++) time.later(random() * 1000, startRequest)
    time.run((second + 1) * 1000)
    shut += circuits.report().filter(({ state }) => state !== 'half_open').length
  }
  const ended = tally.answered + tally.failed + tally.refused
  return { ...tally, available: tally.answered / ended, shut: shut / seconds / endpoints.length }
}

function planned({ health }: Circuits, endpoints: Endpoint[], random: () => number) {
  const input = planInput({ candidates: [candidateOf(endpoints)] })
  return planAttempts({ ...input, health: ({ id }) => health(id), draw: random }).targets
}

/** A virtual clock with timers. */
function createTime() {
  let now = 0
  const due: { at: number; act: () => void }[] = []
  return {
    now: () => now,
    later(ms: number, act: () => void): void {
      const at = now + ms
      due.splice(due.findLastIndex((one) => one.at <= at) + 1, 0, { at, act })
    },
    run(until: number): void {
      while (due.length > 0 && due[0]!.at < until) {
        const { at, act } = due.shift()!
        now = at
        act()
      }
      now = until
    },
  }
}
