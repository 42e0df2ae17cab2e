import type { Endpoint } from '#catalogue/index/model.ts'
import { admitTargets } from '#gateway/attempt/admitted-targets.ts'
import { type Circuits, createCircuits } from '#gateway/plan/circuits.ts'
import { planAttempts } from '#gateway/plan/plan-attempts.ts'
import { Seeded } from '../../service/world/seeded.ts'
import { candidateOf, endpointOf, planInput } from './candidates.ts'

/** How an endpoint treats a request that starts at `atMs`: the probability of a failure, and the time until then. */
export type Behaviour = (
  atMs: number,
  respondsAfterMs: number,
) => { failureProbability: number; failsAfterMs?: number; retryAfterMs?: number; isConnectionLost?: boolean }

type Traffic = { perSecond?: number; seconds?: number; latencyMs?: number; seed?: number }

const startedAt = 1_000_000_000

/**
 * Simulates requests to endpoints on a virtual clock, with the real plan and circuits. A request is refused if no
 * endpoint could be tried. @returns the counts, the share of answered requests and the share of time with open circuits.
 */
export function simulate(behaviours: Behaviour[], traffic: Traffic = {}) {
  const { perSecond = 50, seconds = 300, latencyMs = 800, seed = 1 } = traffic
  const chance = new Seeded(seed)
  const random = () => chance.next()
  const clock = createVirtualClock()
  const circuits = createCircuits({ now: () => startedAt + clock.now() })
  const endpoints = behaviours.map((_, index) => endpointOf(`p${index}`))
  const counts = { answered: 0, failed: 0, refused: 0, attempts: 0 }

  function send(attempts: ReturnType<typeof admitTargets>, isFirst: boolean): void {
    const { value: attempt } = attempts.next()
    if (!attempt) return void counts[isFirst ? 'refused' : 'failed']++
    counts.attempts++
    const behaviour = behaviours[endpoints.indexOf(attempt.target.endpoint)]!
    const respondsAfterMs = latencyMs * (0.5 + random())
    const { failureProbability: probability, failsAfterMs = 100, ...failure } = behaviour(clock.now(), respondsAfterMs)
    const fails = random() < probability
    clock.later(fails ? failsAfterMs : respondsAfterMs, () => {
      if (!fails) counts.answered++
      if (!fails) return attempt.permit.reportFirstByte()
      attempt.permit.reportFailure(failure)
      send(attempts, false)
    })
  }

  const access = { circuitNameOf: ({ id }: Endpoint) => id }
  const startRequest = () => send(admitTargets(circuits, access, planTargets(circuits, endpoints, random)), true)
  let openSeconds = 0
  for (let second = 0; second < seconds; second++) {
    for (let index = 0; index < perSecond; index++) clock.later(random() * 1000, startRequest)
    clock.run((second + 1) * 1000)
    openSeconds += circuits.listRestricted().filter(({ state }) => state !== 'half_open').length
  }
  const finished = counts.answered + counts.failed + counts.refused
  return { ...counts, available: counts.answered / finished, openShare: openSeconds / seconds / endpoints.length }
}

function planTargets({ health }: Circuits, endpoints: Endpoint[], random: () => number) {
  const input = planInput({ candidates: [candidateOf(endpoints)] })
  return planAttempts({ ...input, health: ({ id }) => health(id), draw: random }).targets
}

/** A virtual clock with timers. */
function createVirtualClock() {
  let now = 0
  const timers: { at: number; callback: () => void }[] = []
  return {
    now: () => now,
    later(ms: number, callback: () => void): void {
      const at = now + ms
      timers.splice(timers.findLastIndex((timer) => timer.at <= at) + 1, 0, { at, callback })
    },
    run(until: number): void {
      while (timers.length > 0 && timers[0]!.at < until) {
        const { at, callback } = timers.shift()!
        now = at
        callback()
      }
      now = until
    },
  }
}
