import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessId } from '../processes.ts'

/** The service's record of a daemon, in a file that the intern cannot write. */
export type DaemonRecord = {
  process: ProcessId
  socketPath: string
  /** The port of the TLS listener for servers on other hosts; undefined without one. */
  port?: number
  /** The token for requests to the daemon. */
  token: string
  /** The secret of the intern's API key. */
  secret: string
  /** The user id of the daemon, if the intern has a separate user. */
  uid?: number
  /** The folder of the intern's control group. */
  group?: string
  /** Set if all processes of the intern have ended and none was started since. The search for remaining processes is skipped then. */
  ended?: true
}

const recordFile = (home: string) => join(home, 'daemon.json')

/** Writes the record atomically. */
export function writeDaemonRecord(home: string, record: DaemonRecord): void {
  const temporaryFile = `${recordFile(home)}.new`
  writeFileSync(temporaryFile, JSON.stringify(record), { mode: 0o600 })
  renameSync(temporaryFile, recordFile(home))
}

/** Removes `ended` from the record before a process is started, because the server can be killed between the two. */
export function clearEnded(home: string): void {
  const record = readDaemonRecord(home)
  if (!record?.ended) return
  const { ended: _, ...cleared } = record
  writeDaemonRecord(home, cleared)
}

/** Reads the record; undefined if it is missing or damaged. */
export function readDaemonRecord(home: string): DaemonRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(home), 'utf8')) as DaemonRecord
  } catch {
    return undefined
  }
}
