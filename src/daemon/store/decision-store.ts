import type { DatabaseSync } from 'node:sqlite'
import type { LoggedDecision } from '#interns/contract/rules/rule.ts'

/** Decisions that the server has not fetched yet. */
export type DecisionStore = {
  add(decision: Omit<LoggedDecision, 'seq'>): void
  oldest(): LoggedDecision[]
  /** Deletes all decisions up to `seq`. */
  forget(seq: number): void
}

const pageSize = 500
/** The most stored decisions while no server fetches them. The oldest decisions are deleted first. */
const maxDecisions = 20_000

export function openDecisionStore(db: DatabaseSync): DecisionStore {
  db.exec('CREATE TABLE IF NOT EXISTS decisions (seq INTEGER PRIMARY KEY AUTOINCREMENT, decision TEXT NOT NULL) STRICT')
  const insert = db.prepare('INSERT INTO decisions (decision) VALUES (?)')
  const deleteExcess = db.prepare(`DELETE FROM decisions WHERE seq <= ? - ${maxDecisions}`)
  const oldestDecisions = db.prepare(`SELECT seq, decision FROM decisions ORDER BY seq LIMIT ${pageSize}`)
  const forget = db.prepare('DELETE FROM decisions WHERE seq <= ?')
  return {
    add: (decision) => {
      const { lastInsertRowid } = insert.run(JSON.stringify(decision))
      deleteExcess.run(lastInsertRowid)
    },
    oldest: () =>
      (oldestDecisions.all() as { seq: number; decision: string }[]).map(({ seq, decision }) => ({
        ...JSON.parse(decision),
        seq,
      })),
    forget: (seq) => void forget.run(seq),
  }
}
