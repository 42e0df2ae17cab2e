import type { TurnLimits } from '#gateway/admission/turn-limits.ts'
import {
  findTurnsOfKey,
  type LimitedTurn,
  type RefusedRequest,
  saveRefusedRequest,
} from '#interns/runs/limited-turns.ts'
import { waitUntil } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toPicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import { accountId } from '#spend/budgets/account-id.ts'
import type { Budget } from '#spend/budgets/budget.ts'

type TurnLimitsDeps = { db: Pick<Db, 'query' | 'kind' | 'exclusively' | 'signals'>; now: Now }

/** The longest wait for the supervisor of an intern to end a turn whose budget refused a request. */
const defaultEndTimeoutMs = 5000

const outsideTurnMessage =
  'The key of an intern works only within a turn of that intern, and no turn is in flight. Send the intern a prompt first.'

/**
 * Creates the function that reads which budgets a request with an intern's key must respect: those of the limited turns
 * in flight. A request does not identify its turn, so it counts for each of them.
 * The function returns undefined without limited turns. It throws a Fault `forbidden` if no turn is in flight.
 */
export function createTurnLimits(deps: TurnLimitsDeps, endTimeoutMs = defaultEndTimeoutMs) {
  return async (keyHash: string): Promise<TurnLimits | undefined> => {
    const { hasRunningTurn, limited } = await findTurnsOfKey(deps, keyHash)
    if (!hasRunningTurn) throw new Fault('forbidden', outsideTurnMessage)
    if (limited.length === 0) return undefined
    const limits = limited.flatMap((turn) => budgetsOf(turn, keyHash).map((budget) => ({ turn, budget })))
    const onRefusal = async ({ id, subject }: Budget, need: PicoUsd) => {
      const turns = limits.filter(({ budget }) => budget.id === id).map(({ turn }) => turn)
      // All turns of a key are of one intern, so any of them identifies it.
      const [first] = turns
      if (!first) return
      const budgetField = subject.kind === 'turn' ? subject.part : 'session_max_cost_usd'
      const request = { part: budgetField, neededUsd: toUsd(need) }
      await waitUntilEnded(
        deps,
        first.internId,
        { keyHash, turnIds: turns.map((turn) => turn.id), request },
        endTimeoutMs,
      )
    }
    // Several turns of a session share its limit, which counts once.
    const budgetById = new Map(limits.map(({ budget }) => [budget.id, budget]))
    return { budgets: [...budgetById.values()], onRefusal }
  }
}

function budgetsOf(
  { id, internId, sessionId, startedAt, maxCostUsd, limitName, sessionUsd }: LimitedTurn,
  keyHash: string,
) {
  const commonFields = { interval: null, includesByok: true }
  const turnSubject = { kind: 'turn' as const, id, keyHash, startedAt, part: limitName }
  const budgets: Budget[] = [
    { ...commonFields, id: accountId.turn(id), subject: turnSubject, limit: toPicoUsd(maxCostUsd) },
  ]
  if (sessionUsd !== undefined && sessionId !== null) {
    const subject = { kind: 'session' as const, internId, sessionId }
    budgets.push({ ...commonFields, id: accountId.session(internId, sessionId), subject, limit: toPicoUsd(sessionUsd) })
  }
  return budgets
}

type RefusedTurns = { keyHash: string; turnIds: string[]; request: RefusedRequest }

/**
 * Stores the refused request for the turns, and waits until their supervisor has ended them. Returns if that takes too
 * long.
 * @throws Fault `rate_limited` when they have ended, so that the agent retries in another turn.
 */
async function waitUntilEnded(
  deps: TurnLimitsDeps,
  internId: string,
  { keyHash, turnIds, request }: RefusedTurns,
  timeoutMs: number,
): Promise<void> {
  /** @returns whether all turns have ended. A turn gets its run id late, so each check also stores the refusal. */
  const storeRefusalAndCheck = async () => {
    const { limited } = await findTurnsOfKey(deps, keyHash)
    const openTurns = limited.filter(({ id }) => turnIds.includes(id))
    for (const { runId, refused, ...turn } of openTurns) {
      if (runId !== null && !refused) await saveRefusedRequest(deps.db, { ...turn, runId }, request)
    }
    return openTurns.length === 0
  }
  const subscribe = subscribeToEntity(deps.db.signals, 'run.changed', internId)
  const haveEnded = await waitUntil(storeRefusalAndCheck, { subscribe, timeoutMs })
  if (!haveEnded) return
  const reason = 'The remaining budget of a turn of the intern is too small for this request, so the turn was ended.'
  throw new Fault('rate_limited', `${reason} Try again for another one.`, { retryAfterSeconds: 1 })
}
