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
  /** A text of an intern as it may be kept for the audit trail. */
  conceal: (intern: Intern, text: string) => Promise<string>
}

/** An intern that makes up decisions cannot fill the trail: so many are fetched at a time, and not again at once. */
const most = { pages: 4, everyMs: 500 }

export type DecisionCollector = {
  /** Fetches what rules decided in an intern into the audit trail. What cannot be had now stays with the intern. */
  collect(intern: Intern, runs: Runs): Promise<void>
  /** The same, once for each intern: what a server that is gone did not fetch. */
  collectLeft(intern: Intern, runs: Runs): void
  /** What is kept of an action: what was redacted in it cannot be judged later. */
  concealed(intern: Intern, action: Action): Promise<Action>
}

export function decisionCollector(deps: CollectDeps): DecisionCollector {
  const known = new Set<string>()
  /** Whoever comes meanwhile is served by the next time, which begins a little later. */
  const going = new Map<string, { now: Promise<void>; next?: Promise<void> }>()
  const begin = (intern: Intern, runs: Runs) => {
    const now = fetchAll(deps, intern, runs).catch(() => {})
    going.set(intern.id, { now })
    void now.then(() => setTimeout(() => going.get(intern.id)?.next ?? going.delete(intern.id), most.everyMs).unref())
    return now
  }
  const collect: DecisionCollector['collect'] = (intern, runs) => {
    const current = going.get(intern.id)
    if (!current) return begin(intern, runs)
    current.next ??= current.now
      .then(() => new Promise((resolve) => void setTimeout(resolve, most.everyMs)))
      .then(() => begin(intern, runs))
    return current.next
  }
  return {
    collect,
    collectLeft: (intern, runs) => {
      if (known.has(intern.id)) return
      known.add(intern.id)
      void collect(intern, runs)
    },
    concealed: async (intern, action) => {
      const { command } = action
      if (command === null) return action
      const kept = await deps.conceal(intern, command)
      return { ...action, command: kept, unsure: action.unsure || kept !== command }
    },
  }
}

async function fetchAll(deps: CollectDeps, intern: Intern, runs: Runs): Promise<void> {
  let after = 0
  for (let page = 0; page < most.pages; page++) {
    const made = await runs.decisions(after)
    if (made.length === 0) return
    await record(deps, intern, made)
    after = made.at(-1)!.seq
  }
  await runs.decisions(after)
}

/** In the name of the intern, whose own key it acts with. One that is fetched twice is recorded once. */
async function record(deps: CollectDeps, intern: Intern, made: LoggedDecision[]): Promise<void> {
  const { organizationId, creatorUserId: userId, keyHash, id: internId } = intern
  const tell = async (text: string | null) => text && printableExactly(await deps.conceal(intern, text))
  const told = await Promise.all(
    made.map(async (one) => ({ ...one, id: idOf(internId, one), detail: await tell(one.detail) })),
  )
  await deps.db.exclusively(`decisions of ${internId}`, async (tx) => {
    const there = await recorded(
      tx,
      told.map(({ id }) => id),
    )
    for (const { id, sessionId, runId, at, operation, detail, decision } of told) {
      if (there.has(id)) continue
      const { effect, scope, version, rule, name, why } = decision
      const by = { effect, scope, version, rule, name, ...(why && { why }) }
      const about = { session_id: sessionId, run_id: runId, decided_at: isoTime(at), operation, detail }
      await recordChange(
        { now: deps.now, newId: () => id },
        tx,
        { organizationId, userId, keyHash },
        {
          ...{ action: 'intern.rule_decided', targetKind: 'intern', targetId: internId, before: null },
          after: { ...about, ...by },
        },
      )
    }
  })
}

async function recorded(query: Query | Tx, ids: string[]): Promise<Set<string>> {
  const rows = await query.selectFrom('audit_events').where('id', 'in', ids).select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

/** Of the daemon's own count and what it cannot be the same for: a daemon whose state was lost counts anew. */
function idOf(internId: string, { seq, runId, at }: LoggedDecision): string {
  const hex = createHash('sha256').update(`${internId} ${runId} ${seq} ${at}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
