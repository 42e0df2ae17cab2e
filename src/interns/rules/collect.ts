import { createHash } from 'node:crypto'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import { isoTime } from '#platform/core/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { printableExactly } from '#platform/text/printable.ts'
import type { Action, LoggedDecision } from '../contract/rules/rule.ts'
import type { Runs } from '../contract/runs.ts'
import type { Intern } from '../registry/store.ts'

type CollectDeps = {
  db: Db
  now: Now
  /** Removes secrets from a text of an intern. */
  conceal: (intern: Intern, text: string) => Promise<string>
}

/** Limits how fast an intern can add decisions to the audit log. */
const limits = { pages: 4, everyMs: 500 }

export type DecisionCollector = {
  /** Fetches the decisions of an intern into the audit log. After a failure they stay with the intern. */
  collect(intern: Intern, runs: Runs): Promise<void>
  /** Fetches, once per intern, the decisions that an earlier server did not fetch. */
  collectRemaining(intern: Intern, runs: Runs): void
  /** Removes secrets from an action. Rules cannot match a redacted action reliably. */
  concealed(intern: Intern, action: Action): Promise<Action>
}

export function decisionCollector(deps: CollectDeps): DecisionCollector {
  const collected = new Set<string>()
  /** The current fetch of each intern, and the next one, which serves all calls meanwhile. */
  const fetches = new Map<string, { now: Promise<void>; next?: Promise<void> }>()
  const start = (intern: Intern, runs: Runs) => {
    const now = fetchAll(deps, intern, runs).catch(() => {})
    fetches.set(intern.id, { now })
    void now.then(() =>
      setTimeout(() => fetches.get(intern.id)?.next ?? fetches.delete(intern.id), limits.everyMs).unref(),
    )
    return now
  }
  const collect: DecisionCollector['collect'] = (intern, runs) => {
    const current = fetches.get(intern.id)
    if (!current) return start(intern, runs)
    current.next ??= current.now
      .then(() => new Promise((resolve) => void setTimeout(resolve, limits.everyMs)))
      .then(() => start(intern, runs))
    return current.next
  }
  return {
    collect,
    collectRemaining: (intern, runs) => {
      if (collected.has(intern.id)) return
      collected.add(intern.id)
      void collect(intern, runs)
    },
    concealed: async (intern, action) => {
      const { command } = action
      if (command === null) return action
      const concealed = await deps.conceal(intern, command)
      return { ...action, command: concealed, unsure: action.unsure || concealed !== command }
    },
  }
}

async function fetchAll(deps: CollectDeps, intern: Intern, runs: Runs): Promise<void> {
  let after = 0
  for (let page = 0; page < limits.pages; page++) {
    const decisions = await runs.decisions(after)
    if (decisions.length === 0) return
    await record(deps, intern, decisions)
    after = decisions.at(-1)!.seq
  }
  await runs.decisions(after)
}

/** Records decisions once each, with the intern's key as the actor. */
async function record(deps: CollectDeps, intern: Intern, decisions: LoggedDecision[]): Promise<void> {
  const { organizationId, creatorUserId: userId, keyHash, id: internId } = intern
  const concealText = async (text: string | null) => text && printableExactly(await deps.conceal(intern, text))
  const concealed = await Promise.all(
    decisions.map(async (one) => ({ ...one, id: idOf(internId, one), detail: await concealText(one.detail) })),
  )
  await deps.db.exclusively(`decisions of ${internId}`, async (tx) => {
    const existing = await recordedIds(
      tx,
      concealed.map(({ id }) => id),
    )
    for (const { id, sessionId, runId, at, operation, detail, decision } of concealed) {
      if (existing.has(id)) continue
      const { effect, scope, version, rule, name, why } = decision
      const by = { effect, scope, version, rule, name, ...(why && { why }) }
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
          after: { ...common, ...by },
        },
      )
    }
  })
}

async function recordedIds(query: Query | Tx, ids: string[]): Promise<Set<string>> {
  const rows = await query.selectFrom('audit_events').where('id', 'in', ids).select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

/** The id of a decision. It includes more than `seq`, because a daemon that lost its state counts from 1 again. */
function idOf(internId: string, { seq, runId, at }: LoggedDecision): string {
  const hex = createHash('sha256').update(`${internId} ${runId} ${seq} ${at}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
