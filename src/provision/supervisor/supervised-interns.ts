import type { Intern } from '#interns/registry/intern-store.ts'
import type { Provisioner } from './provisioner.ts'
import { SupervisedIntern } from './supervised-intern.ts'
import { watchIdle } from './watch-idle.ts'

export type SupervisedInternsDeps = {
  provisioner: Pick<Provisioner, 'watch' | 'runsOf'>
  /** The time without a run after which an intern falls asleep; 0 for never. */
  idleMs: number
  /** Records the events of the runs of an intern in the database. @returns a function that stops this. */
  recordRuns: (intern: Intern) => () => void
  /** Requests a pass: it compares the processes of the intern with its stored status, and corrects them. Passes do not overlap. */
  requestPass: (id: string) => void
}

/** The interns that this server supervises: it watches their daemons, and schedules restarts. */
export class SupervisedInterns {
  readonly #deps: SupervisedInternsDeps
  readonly #interns = new Map<string, SupervisedIntern>()
  /** Interns whose daemon stopped accepting turns; the next pass puts them to sleep. */
  readonly #fallingAsleep = new Set<string>()

  constructor(deps: SupervisedInternsDeps) {
    this.#deps = deps
  }

  ids(): Iterable<string> {
    return this.#interns.keys()
  }

  has(id: string): boolean {
    return this.#interns.has(id)
  }

  hasAny(): boolean {
    return this.#interns.size > 0
  }

  isFallingAsleep(id: string): boolean {
    return this.#fallingAsleep.has(id)
  }

  /** @returns true once for each restart that is due. */
  takeRestart(id: string): boolean {
    return this.#interns.get(id)?.takeRestart() ?? false
  }

  /** Stops supervising an intern. */
  release(id: string): void {
    this.#fallingAsleep.delete(id)
    this.#interns.get(id)?.endWatch()
    this.#interns.delete(id)
  }

  /**
   * Watches the daemon of an intern that runs, and records its runs.
   * @param onEnd is called once with the reason.
   * @param onOutdated is called when a newer daemon must replace it and no run is active.
   */
  watch(intern: Intern, onEnd: (reason: string) => void, onOutdated: () => void): void {
    const { provisioner, recordRuns, idleMs, requestPass } = this.#deps
    const supervised = this.#getOrAdd(intern.id)
    this.#fallingAsleep.delete(intern.id)
    // The old watch ends before the new one starts.
    supervised.endWatch()
    const unwatch = provisioner.watch(intern, onEnd, onOutdated)
    const endRecording = recordRuns(intern)
    const unwatchIdle = watchIdle(provisioner.runsOf(intern), idleMs, () => {
      this.#fallingAsleep.add(intern.id)
      requestPass(intern.id)
    })
    const endWatch = () => {
      unwatch()
      endRecording()
      unwatchIdle()
    }
    // `endWatch` is called before the next start, or when the intern is released. The back-off counts from this start.
    supervised.recordStart(endWatch)
  }

  /** Schedules a pass that restarts an intern, by default with exponential back-off. */
  restartLater(id: string, afterMs?: number): void {
    this.#fallingAsleep.delete(id)
    this.#getOrAdd(id).scheduleRestart(() => this.#deps.requestPass(id), afterMs)
  }

  #getOrAdd(id: string): SupervisedIntern {
    const supervised = this.#interns.get(id) ?? new SupervisedIntern()
    this.#interns.set(id, supervised)
    return supervised
  }
}
