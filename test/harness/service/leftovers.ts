import type { ChildProcess } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { killGroup, removeGroup } from '#provision/host/control-group.ts'

/** Ends processes that a failed test would leave behind: servers and daemons of interns. */
const servers = new Set<ChildProcess>()
const dataFolders = new Set<string>()

/** Ends a server when the tests of this process are over, if it still runs. */
export function killAfterTests(server: ChildProcess): void {
  servers.add(server)
  server.once('close', () => servers.delete(server))
}

/** The same for the daemons that a service starts in its data folder. */
export function killDaemonsAfterTests(dataDir: string): void {
  dataFolders.add(dataDir)
}

after(endLeftovers)

/** Ends them at once. For programs that are not tests, whose end the runner does not report. */
export async function endLeftovers(): Promise<void> {
  for (const server of servers) server.kill('SIGKILL')
  for (const folder of dataFolders) {
    endDaemonsIn(folder)
    for (const group of groupsIn(folder)) {
      killGroup(group)
      for (let tries = 0; tries < 100 && existsSync(group); tries++) {
        removeGroup(group)
        await sleep(10)
      }
    }
  }
}

/**
 * Ends the daemons of a data folder whose server was killed. Call it before the folder is removed, because the folder
 * identifies them.
 */
export function endDaemonsIn(folder: string): void {
  for (const pid of daemonsIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended since the search.
    }
  }
}

/** The control groups of interns. They are named after interns, so this list has no other groups. */
function groupsIn(folder: string): string[] {
  return globSync(`${folder}/interns/*/daemon.json`).flatMap((file) => {
    const { group } = JSON.parse(readFileSync(file, 'utf8'))
    return group !== undefined && existsSync(group) ? [group] : []
  })
}

/** The id can belong to another process by now, so its command line must name the folder. */
function daemonsIn(folder: string): number[] {
  return globSync(`${folder}/interns/*/daemon.json`).flatMap((file) => {
    try {
      const { pid } = JSON.parse(readFileSync(file, 'utf8')).process
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) ? [pid] : []
    } catch {
      return []
    }
  })
}
