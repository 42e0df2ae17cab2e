import type { Db, Tx } from '#platform/db/db.ts'
import { lockInTransaction } from '#platform/db/transaction-lock.ts'

/**
 * Separates the openings of accounts from corrections of charges, until the transaction ends. An account opens with the sum of the
 * ledger. A correction that runs meanwhile would lower the ledger after that sum was read, and find no account to lower.
 * The caller must not have written yet: a correction can wait for rows that the caller has locked.
 */
export function lockOpenings(db: Pick<Db, 'kind'>, tx: Tx, purpose: 'open' | 'correct'): Promise<void> {
  return lockInTransaction(db, tx, 'openings of accounts', purpose === 'open' ? 'shared' : 'exclusive')
}
