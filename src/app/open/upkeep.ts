import { deleteExpiredAnnouncements, findOpenAccounts } from '#interns/runs/limited-turns.ts'
import { startPruningRuns } from '#interns/runs/run-store.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { startEventPruning } from '#platform/db/event-log.ts'
import { startPruningTurnAccounts } from '#spend/budgets/accounts/prune-turn-accounts.ts'
import { startPruningGroupAccounts } from '#spend/budgets/prune-group-accounts.ts'
import { startPruningContents } from '#spend/contents/delete-contents.ts'
import { startPruning } from '#spend/ledger/prune.ts'
import { startPruningMarkers } from '#spend/metering/request-markers.ts'
import { startRollups } from '#spend/rollups/rollup-loops.ts'
import { createWarning, type OpenContext } from './parts.ts'

/** Starts the maintenance of the ledger, in one process per host: merges roll-ups and deletes old rows. */
export function openUpkeep(context: OpenContext, db: Db): void {
  const { now, config } = context.parts
  const {
    generation_retention_days: days,
    content_retention_days: contentDays,
    intern_transcript_days: runDays,
  } = config
  const { cleanup } = context
  const warnNotPruned = createWarning(context, 'old records were not pruned')
  cleanup.defer(startPruning({ db, now, onError: warnNotPruned }, days))
  cleanup.defer(startPruningContents({ db, now, onError: warnNotPruned }, contentDays))
  cleanup.defer(startPruningRuns({ db, now, onError: warnNotPruned }, runDays))
  cleanup.defer(startPruningMarkers({ db, now, onError: warnNotPruned }))
  const findRunningTurns = async () => {
    await deleteExpiredAnnouncements({ db, now })
    return findOpenAccounts({ db, now })
  }
  cleanup.defer(
    startPruningTurnAccounts({
      db,
      clock: createDatabaseClock(db, now),
      runningTurns: findRunningTurns,
      onError: warnNotPruned,
    }),
  )
  cleanup.defer(startPruningGroupAccounts({ db, now, onError: warnNotPruned }))
  cleanup.defer(startEventPruning({ db, now, onError: warnNotPruned }))
  cleanup.defer(startRollups({ db, now, onError: createWarning(context, 'roll-ups were not merged') }, days))
}
