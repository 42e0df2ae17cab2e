import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readDaemonRecord } from '../host/home/daemon-record.ts'
import { isAlive } from '../host/processes.ts'
import { endDaemon } from './daemon-process.ts'

/**
 * Ends the daemons of interns that were moved to another host or deleted while this host was down. Their files remain.
 * @param homes the folder of interns' folders.
 * @param idsHere reads the ids of the interns of this host.
 */
export async function endForeignDaemons(
  homes: string,
  idsHere: () => Promise<ReadonlySet<string>>,
  warn: (message: string) => void,
): Promise<void> {
  const folders = existsSync(homes) ? readdirSync(homes) : []
  const ids = await idsHere()
  const foreignIds = folders.filter((id) => !ids.has(id))
  for (const id of foreignIds) {
    const record = readDaemonRecord(join(homes, id))
    if (!record || !isAlive(record.process)) continue
    warn(`The intern ${id} is not on this host any more: its daemon is ended, its files remain in ${homes}.`)
    await endDaemon(join(homes, id), record)
  }
}
