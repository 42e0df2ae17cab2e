import type { CircuitReport, Circuits } from '#gateway/plan/circuits.ts'
import type { Db } from '#platform/db/db.ts'
import type { Ledger } from '#spend/metering/ledger.ts'

/** How one process of the service is. It is read from its memory alone. */
export type ProcessStatus = {
  /** Its name among all that use the database: circuits are told of with it. */
  server: string
  pid: number
  isShuttingDown: boolean
  database: { silentMs: number; readOnly: boolean; waiting: number }
  ledger: ReturnType<Ledger['standing']> & { isFull: boolean }
  circuits: CircuitReport[]
}

/** The processes of this host that said how they are, and how many there are to be. */
export type HostStatus = { wanted: number; processes: ProcessStatus[] }

type ProcessStatusDeps = {
  server: string
  pid: number
  db: Pick<Db, 'standing'>
  ledger: Pick<Ledger, 'standing' | 'hasRoom'>
  circuits: Pick<Circuits, 'report'>
  isShuttingDown: () => boolean
}

export function processStatus({ server, pid, db, ledger, circuits, isShuttingDown }: ProcessStatusDeps): ProcessStatus {
  const { silentMs, readOnly, waiting } = db.standing()
  return {
    server,
    pid,
    isShuttingDown: isShuttingDown(),
    database: { silentMs, readOnly, waiting },
    ledger: { ...ledger.standing(), isFull: !ledger.hasRoom() },
    circuits: circuits.report(),
  }
}
