import { setTimeout as sleep } from 'node:timers/promises'
import type { TurnLimits } from '#gateway/admission/turn-limits.ts'
import { type LimitedTurn, noteRefused, turnsOfKey } from '#interns/runs/limited-turns.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { type Budget, limitOf } from '#spend/budgets/budget.ts'

type TurnLimitsDeps = { db: Pick<Db, 'query' | 'kind'>; now: Now }

const lookEveryMs = 50
/** Whoever looks after an intern ends a turn whose budget refused a request within a second. */
const usualEndMs = 5000

const outsideTurn =
  'The key of an intern works only within a turn of that intern, and no turn is in flight. Send the intern a prompt first.'

/**
 * All requests with an intern's key count for each of its limited turns: none says which turn it is of.
 * The returned function throws a Fault `forbidden` when the intern has no turn in flight.
 */
export function turnLimits(deps: TurnLimitsDeps, endedWithinMs = usualEndMs) {
  return async (keyHash: string): Promise<TurnLimits | undefined> => {
    const { isInTurn, limited } = await turnsOfKey(deps, keyHash)
    if (!isInTurn) throw new Fault('forbidden', outsideTurn)
    if (limited.length === 0) return undefined
    const limits = limited.flatMap((turn) => budgetsOf(turn, keyHash).map((budget) => ({ turn, budget })))
    const refused = async ({ id, subject }: Budget, need: PicoUsd) => {
      const ending = limits.filter(({ budget }) => budget.id === id).map(({ turn }) => turn.id)
      if (ending.length === 0) return
      const part = subject.kind === 'turn' ? subject.part : 'session_max_cost_usd'
      await untilEnded(deps, keyHash, ending, { part, neededUsd: toUsd(need) }, endedWithinMs)
    }
    // Several turns of a session share its limit.
    return { budgets: [...new Map(limits.map(({ budget }) => [budget.id, budget])).values()], refused }
  }
}

function budgetsOf({ id, internId, sessionId, beganAt, costUsd, part, sessionUsd }: LimitedTurn, keyHash: string) {
  const always = { interval: null, includesByok: true }
  const ofTurn = { kind: 'turn' as const, id, keyHash, beganAt, part }
  const budgets: Budget[] = [{ ...always, id: `turn:${id}`, subject: ofTurn, limit: limitOf(costUsd) }]
  if (sessionUsd !== undefined && sessionId !== null) {
    const subject = { kind: 'session' as const, internId, sessionId }
    budgets.push({ ...always, id: `session:${internId} ${sessionId}`, subject, limit: limitOf(sessionUsd) })
  }
  return budgets
}

/** Returns where nobody ends them. @throws Fault `rate_limited` when they are over, which another turn tries again. */
async function untilEnded(
  deps: TurnLimitsDeps,
  keyHash: string,
  ending: string[],
  request: Parameters<typeof noteRefused>[2],
  withinMs: number,
): Promise<void> {
  for (const late = performance.now() + withinMs; ; await sleep(lookEveryMs)) {
    const left = (await turnsOfKey(deps, keyHash)).limited.filter(({ id }) => ending.includes(id))
    if (left.length === 0) break
    for (const { runId, refused, ...turn } of left)
      if (runId !== null && !refused) await noteRefused(deps.db.query, { ...turn, runId }, request)
    if (performance.now() >= late) return
  }
  const why = 'The budget of a turn of the intern left no room for this request, and the turn was ended.'
  throw new Fault('rate_limited', `${why} Try again for another one.`, { retryAfterSeconds: 1 })
}
