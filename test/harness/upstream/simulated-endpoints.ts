import type { Endpoint } from '#catalogue/index/model.ts'
import { admittedTargets } from '#gateway/attempt/admitted-targets.ts'
import { type Circuits, createCircuits } from '#gateway/plan/circuits.ts'
import { planAttempts } from '#gateway/plan/plan-attempts.ts'
import { candidateOf, endpointOf, planInput, seeded } from './candidates.ts'

/** How an endpoint treats a request that begins at a moment: the chance that it fails, and after how long it does. */
export type Behaviour = (
  atMs: number,
  answersAfterMs: number,
) => { failing: number; failsAfterMs?: number; retryAfterMs?: number; severed?: boolean }

type Traffic = { perSecond?: number; seconds?: number; latencyMs?: number; seed?: number }

const startedAt = 1_000_000_000

/**
 * Requests over endpoints on a clock of their own: the real plan, circuits and order of asking. Each is answered or has
 * failed, as its endpoints behave, or was refused when none was asked. @returns also for which share of the time one of
 * them was shut.
 */
export function simulate(behaviours: Behaviour[], traffic: Traffic = {}) {
  const { perSecond = 50, seconds = 300, latencyMs = 800, seed = 1 } = traffic
  const random = seeded(seed)
  const time = createTime()
  const circuits = createCircuits({ now: () => startedAt + time.now() })
  const endpoints = behaviours.map((_, at) => endpointOf(`p${at}`))
  const tally = { answered: 0, failed: 0, refused: 0, asked: 0 }

  function ask(turns: ReturnType<typeof admittedTargets>, isFirst: boolean): void {
    const { value: turn } = turns.next()
    if (!turn) return void tally[isFirst ? 'refused' : 'failed']++
    tally.asked++
    const behave = behaviours[endpoints.indexOf(turn.target.endpoint)]!
    const answersAfterMs = latencyMs * (0.5 + random())
    const { failing, failsAfterMs = 100, ...trouble } = behave(time.now(), answersAfterMs)
    const fails = random() < failing
    time.later(fails ? failsAfterMs : answersAfterMs, () => {
      if (!fails) tally.answered++
      if (!fails) return turn.permit.answered()
      turn.permit.failed(trouble)
      ask(turns, false)
    })
  }

  const access = { circuitOf: ({ id }: Endpoint) => id }
  const come = () => ask(admittedTargets(circuits, access, planned(circuits, endpoints, random)), true)
  let shut = 0
  for (let second = 0; second < seconds; second++) {
    for (let one = 0; one < perSecond; one++) time.later(random() * 1000, come)
    time.run((second + 1) * 1000)
    shut += circuits.report().filter(({ state }) => state !== 'half_open').length
  }
  const ended = tally.answered + tally.failed + tally.refused
  return { ...tally, available: tally.answered / ended, shut: shut / seconds / endpoints.length }
}

function planned({ health: standing }: Circuits, endpoints: Endpoint[], random: () => number) {
  const input = planInput({ candidates: [candidateOf(endpoints)] })
  return planAttempts({ ...input, health: ({ id }) => standing(id), draw: random }).targets
}

/** Time that passes from one thing that is due to the next. */
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
