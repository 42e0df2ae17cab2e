import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordChange } from '#identity/audit/audit.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import type { DaemonApi } from '../contract/daemon-api.ts'
import type { Action, LoggedDecision } from '../contract/rules/rule.ts'
import type { Intern } from '../registry/intern-store.ts'

type CollectDeps = {
  db: Db
  now: Now
  /** Removes secrets from a text of an intern. */
  conceal: (intern: Intern, text: string) => Promise<string>
}

/** Limits the rate at which an intern can add decisions to the audit log. */
const fetchLimits = { pages: 4, everyMs: 500 }

/** Fetches the decisions of rules from the daemons into the audit log. */
export class DecisionCollector {
  readonly #deps: CollectDeps
  /** The interns whose decisions were fetched by this server. */
  readonly #collectedInterns = new Set<string>()
  /** The current or last fetch of each intern, and the next fetch, which serves all calls meanwhile. */
  readonly #fetches = new Map<string, { current: Promise<void>; next?: Promise<void> }>()

  constructor(deps: CollectDeps) {
    this.#deps = deps
  }

  /** Fetches the decisions of an intern into the audit log. After a failure they stay with the intern. */
  collect(intern: Intern, runs: DaemonApi): Promise<void> {
    const fetch = this.#fetches.get(intern.id)
    if (!fetch) return this.#fetchNow(intern, runs)
    fetch.next ??= this.#fetchAfter(fetch.current, intern, runs)
    return fetch.next
  }

  /** Fetches, once per intern, the decisions that an earlier server did not fetch. */
  collectRemaining(intern: Intern, runs: DaemonApi): void {
    if (this.#collectedInterns.has(intern.id)) return
    this.#collectedInterns.add(intern.id)
    void this.collect(intern, runs)
  }

  /** Removes secrets from an action. Rules cannot match a redacted action reliably, so it is then `unsure`. */
  async concealAction(intern: Intern, action: Action): Promise<Action> {
    if (action.command === null) return action
    const command = await this.#deps.conceal(intern, action.command)
    return { ...action, command, unsure: action.unsure || command !== action.command }
  }

  #fetchNow(intern: Intern, runs: DaemonApi): Promise<void> {
    const current = fetchAll(this.#deps, intern, runs).catch(() => {})
    this.#fetches.set(intern.id, { current })
    const forgetFetch = () => {
      if (!this.#fetches.get(intern.id)?.next) this.#fetches.delete(intern.id)
    }
    void current.then(() => setTimeout(forgetFetch, fetchLimits.everyMs).unref())
    return current
  }

  async #fetchAfter(previous: Promise<void>, intern: Intern, runs: DaemonApi): Promise<void> {
    await previous
    await sleep(fetchLimits.everyMs)
    await this.#fetchNow(intern, runs)
  }
}

async function fetchAll(deps: CollectDeps, intern: Intern, runs: DaemonApi): Promise<void> {
  let after = 0
  for (let page = 0; page < fetchLimits.pages; page++) {
    const decisions = await runs.decisions(after)
    if (decisions.length === 0) return
    await recordDecisions(deps, intern, decisions)
    after = decisions.at(-1)!.seq
  }
  // Only deletes the decisions of the last page from the daemon.
  await runs.decisions(after)
}

/** Records decisions once each, with the intern's key as the actor. */
async function recordDecisions(deps: CollectDeps, intern: Intern, decisions: LoggedDecision[]): Promise<void> {
  const { organizationId, creatorUserId: userId, keyHash, id: internId } = intern
  const concealText = async (text: string | null) => text && escapeUnambiguously(await deps.conceal(intern, text))
  const concealedDecisions = await Promise.all(
    decisions.map(async (decision) => ({
      ...decision,
      id: createDecisionId(internId, decision),
      detail: await concealText(decision.detail),
    })),
  )
  await deps.db.exclusively(`decisions of ${internId}`, async (tx) => {
    const existing = await findRecordedIds(
      tx,
      concealedDecisions.map(({ id }) => id),
    )
    for (const { id, sessionId, runId, at, operation, detail, decision } of concealedDecisions) {
      if (existing.has(id)) continue
      const { effect, scope, version, rule, name, why } = decision
      const decidedBy = { effect, scope, version, rule, name, ...(why && { why }) }
      const common = { session_id: sessionId, run_id: runId, decided_at: isoTime(at), operation, detail }
      await recordChange(
        { now: deps.now, newId: () => id },
        tx,
        { organizationId, userId, keyHash },
        {
          action: 'intern.rule_decided',
          targetKind: 'intern',
          targetId: internId,
          before: null,
          after: { ...common, ...decidedBy },
        },
      )
    }
  })
}

async function findRecordedIds(query: Query | Tx, ids: string[]): Promise<Set<string>> {
  const rows = await query.selectFrom('audit_events').where('id', 'in', ids).select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * The id of a decision, in the form of a UUID. `seq` alone is not unique, because a daemon that lost its state counts from 1
 * again.
 */
function createDecisionId(internId: string, { seq, runId, at }: LoggedDecision): string {
  const hex = createHash('sha256').update(`${internId} ${runId} ${seq} ${at}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
