import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Config } from '#platform/config/settings.ts'
import { clearEnded } from '../host/home/daemon-record.ts'
import { startFilesProcess } from './files-process.ts'

/** The most processes. Each needs 0.1 s of processor time and 50 MB, and a caller could send a thousand requests at once. */
const maxProcesses = { perIntern: 8, total: 32 }

type StorageDeps = { config: Config; path: string }
type StoredIntern = { id: string; home: string; findUid: () => Promise<number | undefined> }

/** The processes that serve the stored files of interns that do not run. */
export class StorageProcesses {
  readonly #deps: StorageDeps
  /** The running processes of each intern. */
  readonly #processes = new Map<string, Set<ChildProcess>>()

  constructor(deps: StorageDeps) {
    this.#deps = deps
  }

  /** A connection for one request. @throws Refusal `files_busy`. */
  connect({ id, home, findUid }: StoredIntern): Promise<Socket> {
    const onStarting = () => {
      this.#requireCapacity(id)
      clearEnded(home)
    }
    const onStarted = (child: ChildProcess) => this.#addProcess(id, child)
    return startFilesProcess({ ...this.#deps, home, findUid, onStarting, onStarted })
  }

  /** Ends the processes of an intern. @returns whether there were any. */
  end(id: string): boolean {
    const processes = this.#processes.get(id)
    for (const child of processes ?? []) child.kill('SIGKILL')
    return processes !== undefined
  }

  #requireCapacity(id: string): void {
    const internCount = this.#processes.get(id)?.size ?? 0
    const totalCount = [...this.#processes.values()].reduce((sum, { size }) => sum + size, 0)
    if (internCount < maxProcesses.perIntern && totalCount < maxProcesses.total) return
    const reason = 'Too many requests for files and sessions of interns that do not run'
    throw new Refusal('files_busy', `${reason}: retry later, or start the intern.`)
  }

  #addProcess(id: string, child: ChildProcess): void {
    const processes = this.#processes.get(id) ?? new Set()
    this.#processes.set(id, processes.add(child))
    child.once('close', () => {
      processes.delete(child)
      if (processes.size === 0) this.#processes.delete(id)
    })
  }
}
