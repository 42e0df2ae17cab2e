import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Config } from '#platform/config/settings.ts'
import { forgetEnd } from '../host/intern-home.ts'
import { startFilesProcess } from './files-process.ts'

/** Each is a process that takes a tenth of a second of the processor and 50 MB: whoever may ask could ask a thousand times at once. */
const mostServing = { ofOne: 8, all: 32 }

type KeptDeps = { config: Config; path: string }
type Kept = { id: string; home: string; uid: () => Promise<number | undefined> }

/** The processes that serve what is kept of interns that do not run. */
export class KeptInterns {
  readonly #deps: KeptDeps
  readonly #serving = new Map<string, Set<ChildProcess>>()

  constructor(deps: KeptDeps) {
    this.#deps = deps
  }

  /** A connection for one request. @throws Refusal `files_busy`. */
  connect({ id, home, uid }: Kept): Promise<Socket> {
    const starting = () => {
      this.#requireRoom(id)
      forgetEnd(home)
    }
    return startFilesProcess({ ...this.#deps, home, uid, starting, started: (child) => this.#started(id, child) })
  }

  /** @returns whether there was any. */
  end(id: string): boolean {
    const serving = this.#serving.get(id)
    for (const child of serving ?? []) child.kill('SIGKILL')
    return serving !== undefined
  }

  #requireRoom(id: string): void {
    const own = this.#serving.get(id)?.size ?? 0
    const all = [...this.#serving.values()].reduce((sum, { size }) => sum + size, 0)
    if (own < mostServing.ofOne && all < mostServing.all) return
    const why = 'Too much is being asked of the files and sessions of interns that do not run'
    throw new Refusal('files_busy', `${why}: try again in a moment, or start the intern.`)
  }

  #started(id: string, child: ChildProcess): void {
    const all = this.#serving.get(id) ?? new Set()
    this.#serving.set(id, all.add(child))
    child.once('close', () => {
      all.delete(child)
      if (all.size === 0) this.#serving.delete(id)
    })
  }
}
