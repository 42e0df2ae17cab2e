import type { CircuitReport, Circuits } from '#gateway/plan/circuits.ts'
import type { Db } from '#platform/db/db.ts'
import type { Ledger } from '#spend/metering/ledger.ts'

/** The status of one process of the service, read only from its memory. */
export type ProcessStatus = {
  /** The unique name of the process among all that use the database; reports of circuits carry it. */
  server: string
  pid: number
  isShuttingDown: boolean
  database: { silentMs: number; readOnly: boolean; waiting: number }
  ledger: ReturnType<Ledger['backlog']> & { isFull: boolean }
  circuits: CircuitReport[]
}

/** The processes of this host that reported their status, and the configured number of processes. */
export type HostStatus = { expected: number; processes: ProcessStatus[] }

type ProcessStatusDeps = {
  server: string
  pid: number
  db: Pick<Db, 'health'>
  ledger: Pick<Ledger, 'backlog' | 'hasRoom'>
  circuits: Pick<Circuits, 'listRestricted'>
  isShuttingDown: () => boolean
}

export function processStatus({ server, pid, db, ledger, circuits, isShuttingDown }: ProcessStatusDeps): ProcessStatus {
  const { silentMs, readOnly, waiting } = db.health()
  return {
    server,
    pid,
    isShuttingDown: isShuttingDown(),
    database: { silentMs, readOnly, waiting },
    ledger: { ...ledger.backlog(), isFull: !ledger.hasRoom() },
    circuits: circuits.listRestricted(),
  }
}
