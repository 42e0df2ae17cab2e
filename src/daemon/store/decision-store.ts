import type { DatabaseSync } from 'node:sqlite'
import type { LoggedDecision } from '#interns/contract/rules/rule.ts'

/** Decisions that the server has not fetched yet. */
export type DecisionStore = {
  add(decision: Omit<LoggedDecision, 'seq'>): void
  oldest(): LoggedDecision[]
  /** Forgets all up to one. */
  forget(seq: number): void
}

const page = 500
/** More than this means that no server came for long: the oldest go first. */
const most = 20_000

export function openDecisionStore(db: DatabaseSync): DecisionStore {
  db.exec('CREATE TABLE IF NOT EXISTS decisions (seq INTEGER PRIMARY KEY AUTOINCREMENT, decision TEXT NOT NULL) STRICT')
  const insert = db.prepare('INSERT INTO decisions (decision) VALUES (?)')
  const bound = db.prepare(`DELETE FROM decisions WHERE seq <= ? - ${most}`)
  const read = db.prepare(`SELECT seq, decision FROM decisions ORDER BY seq LIMIT ${page}`)
  const forget = db.prepare('DELETE FROM decisions WHERE seq <= ?')
  return {
    add: (decision) => {
      const { lastInsertRowid } = insert.run(JSON.stringify(decision))
      bound.run(lastInsertRowid)
    },
    oldest: () =>
      (read.all() as { seq: number; decision: string }[]).map(({ seq, decision }) => ({
        ...JSON.parse(decision),
        seq,
      })),
    forget: (seq) => void forget.run(seq),
  }
}
