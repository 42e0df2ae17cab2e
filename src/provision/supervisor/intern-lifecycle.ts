import { hashOf } from '#identity/accounts/keys/secret.ts'
import { hasInternKey, issueInternKey } from '#interns/registry/own-key.ts'
import { type Intern, isAsleep } from '#interns/registry/store.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { isTransientFailure } from '../host/transient-failure.ts'
import type { InternLeases } from './intern-leases.ts'
import type { Provisioner } from './provisioner.ts'
import { RulePusher } from './push-rules.ts'
import { SupervisedIntern } from './supervised-intern.ts'
import { whenIdle } from './when-idle.ts'

type InternLifecycleDeps = {
  db: Db
  now: Now
  leases: InternLeases
  provisioner: Provisioner
  /** Encrypts how an intern is reached from other hosts. */
  sealAccess: (id: string, access: TcpAccess) => string
  /** After how long without a turn an intern falls asleep; 0 for never. */
  idleMs: number
  onError: (error: Error) => void
  /** Writes down what becomes of an intern's runs. @returns the way to end it. */
  follow: (intern: Intern) => () => void
  /** Asks for the intern to be looked at again. */
  lookAgain: (id: string) => void
}

/** The work of a server for the interns whose leases it holds: one method for each status that needs work. */
export class InternLifecycle {
  readonly #deps: InternLifecycleDeps
  readonly #supervised = new Map<string, SupervisedIntern>()
  readonly #rules: RulePusher
  /** Whose daemons take no more turns, so that they are to sleep when they are looked at next. */
  readonly #resting = new Set<string>()
  readonly #starting = new Set<string>()
  #isStopping = false

  constructor(deps: InternLifecycleDeps) {
    this.#deps = deps
    this.#rules = new RulePusher(deps)
  }

  supervisedIds(): Iterable<string> {
    return this.#supervised.keys()
  }

  isSupervised(id: string): boolean {
    return this.#supervised.has(id)
  }

  /** Whether it is being started here, which may take as long as its repository takes to clone. */
  isStarting(id: string): boolean {
    return this.#starting.has(id)
  }

  isSupervisingAny(): boolean {
    return this.#supervised.size > 0
  }

  /** Forgets an intern whose daemon others see to from now on. */
  release(id: string): void {
    this.#rules.forget(id)
    this.#resting.delete(id)
    this.#supervised.get(id)?.release()
    this.#supervised.delete(id)
  }

  /** Nothing is started any more. @returns the ids of the interns that were supervised. */
  stop(): string[] {
    this.#isStopping = true
    return [...this.#supervised.keys()]
  }

  async queued(intern: Intern): Promise<void> {
    this.release(intern.id)
    if (await this.#deps.leases.transition(intern.id, 'queued', { status: 'provisioning' }))
      await this.provisioning(intern)
  }

  /** A failure is told and left to whoever asked for the intern, unless it is likely to be over in a moment. */
  async provisioning(intern: Intern): Promise<void> {
    await this.#start(intern, async (failure, why) => {
      const isPassing = isTransientFailure(why)
      await this.#deps.leases.transition(intern.id, 'provisioning', { status: 'failed', failure, release: !isPassing })
      if (isPassing) this.#restartLater(intern)
    })
  }

  /** Of these, the interns that run here and judge by rules that no longer hold. */
  outdated(interns: Intern[]): Promise<Intern[]> {
    return this.#rules.outdated(interns.filter(({ id, status }) => status === 'running' && this.#supervised.has(id)))
  }

  async running(intern: Intern): Promise<void> {
    if (isAsleep(intern)) return this.#end(intern)
    if (this.#resting.has(intern.id)) return this.#rest(intern)
    if (this.#supervised.has(intern.id)) return this.#tellRules(intern)
    if (await this.#deps.provisioner.adopt(intern)) {
      this.#watch(intern)
      await this.#tellRules(intern)
    } else await this.#fail(intern, 'The daemon was gone when the service looked for it.', 0)
  }

  async failed(intern: Intern): Promise<void> {
    const { leases } = this.#deps
    // Not known here: another server had it when it failed.
    if (!this.#supervised.has(intern.id)) return this.#restartLater(intern, 0)
    if (!this.#supervised.get(intern.id)?.takeRestart()) return
    const begun = leases.transition(intern.id, 'failed', { status: 'provisioning' })
    // This restart is taken: where the database does not answer, there is to be another.
    begun.catch(() => this.#restartLater(intern))
    if (!(await begun)) return
    await this.#start(intern, async (failure) => {
      await leases.transition(intern.id, 'provisioning', { status: 'failed', failure })
      this.#restartLater(intern)
    })
  }

  async stopped(intern: Intern): Promise<void> {
    const { leases, provisioner } = this.#deps
    this.release(intern.id)
    try {
      await provisioner.stop(intern)
      await leases.transition(intern.id, 'stopped', { status: 'stopped', release: true })
    } catch (error) {
      // It is not stopped: whoever asked for that can see so, and ask again.
      const failure = (error as Error).message
      await leases.transition(intern.id, 'stopped', { status: 'failed', failure, release: true })
    }
  }

  async destroying(intern: Intern): Promise<void> {
    const { leases, provisioner } = this.#deps
    this.release(intern.id)
    try {
      await provisioner.destroy(intern)
      await leases.remove(intern)
    } catch (error) {
      const failure = (error as Error).message
      await leases.transition(intern.id, 'destroying', { status: 'destroy_failed', failure, release: true })
    }
  }

  async #start(intern: Intern, failed: (failure: string, why: unknown) => Promise<unknown>): Promise<void> {
    const { leases, provisioner, sealAccess, onError } = this.#deps
    const { id } = intern
    this.#starting.add(id)
    try {
      const secret = await this.#secretFor(intern)
      // Who stops this server has ended its starts, and would wait for a clone that begins now.
      if (this.#isStopping) return
      const opened = await provisioner.start(
        intern,
        secret,
        (progress) => void leases.setProgress(id, progress).catch(onError),
      )
      const tcpAccess = opened ? sealAccess(id, opened) : null
      const started = { ...intern, tcpAccess }
      // Before anybody can talk to it.
      await this.#rules.push(started)
      // A server that took over meanwhile, or a caller who asked for something else, has changed the status.
      const isRunning =
        !this.#isStopping &&
        (await leases.transition(id, 'provisioning', { status: 'running', tcpAccess, asleepSince: null }))
      if (isRunning) this.#watch(started)
    } catch (error) {
      if (!this.#isStopping) await failed((error as Error).message, error)
    } finally {
      this.#starting.delete(id)
    }
  }

  /** Of an intern that fell asleep, the processes end; who wakes it may be another server of this host. */
  async #end(intern: Intern): Promise<void> {
    const { leases, provisioner } = this.#deps
    this.release(intern.id)
    await provisioner.stop(intern)
    await leases.transition(intern.id, 'running', { status: 'running', release: true })
  }

  /** Its daemon takes no more turns. Part of a look: one that began before would take the daemon for gone. */
  async #rest(intern: Intern): Promise<void> {
    const { leases, now } = this.#deps
    // That it ends from now on is no failure.
    this.release(intern.id)
    const sleeps = { status: 'running', asleepSince: now() } as const
    if (await leases.transition(intern.id, 'running', sleeps)) await this.#end(intern)
  }

  /** A daemon that does not take the rules must not go on without them: one that is dead or old is replaced. */
  async #tellRules(intern: Intern): Promise<void> {
    if ((await this.#rules.outdated([intern])).length === 0) return
    try {
      await this.#rules.push(intern)
    } catch (error) {
      if (!this.#isStopping) await this.#fail(intern, `It did not take its rules: ${(error as Error).message}`)
    }
  }

  async #secretFor(intern: Intern): Promise<string> {
    const known = await this.#deps.provisioner.secretOf(intern)
    if (known && hashOf(known) === intern.keyHash && (await hasInternKey(this.#deps, intern))) return known
    return issueInternKey(this.#deps, intern)
  }

  #watch(intern: Intern): void {
    const { provisioner, follow, idleMs, onError, lookAgain } = this.#deps
    const supervised = this.#supervise(intern.id)
    this.#resting.delete(intern.id)
    // The old watch ends before the new one begins.
    supervised.release()
    const unwatch = provisioner.watch(
      intern,
      (reason) => void this.#fail(intern, reason).catch(onError),
      () => void this.#replace(intern).catch(onError),
    )
    const unfollow = follow(intern)
    const stir = whenIdle(provisioner.runs(intern), idleMs, () => {
      this.#resting.add(intern.id)
      lookAgain(intern.id)
    })
    supervised.started(() => {
      unwatch()
      unfollow()
      stir()
    })
  }

  /** By a newer daemon: it is started again like one that was asked for. */
  async #replace({ id }: Intern): Promise<void> {
    const { leases, lookAgain } = this.#deps
    if (this.#isStopping) return
    if (await leases.transition(id, 'running', { status: 'queued' })) lookAgain(id)
  }

  async #fail(intern: Intern, failure: string, restartAfterMs?: number): Promise<void> {
    const { leases, onError } = this.#deps
    if (this.#isStopping) return
    const written = leases.transition(intern.id, 'running', { status: 'failed', failure })
    // Its watch tells this only once: where the database does not answer, the next look is to find the daemon gone.
    written.catch(() => this.release(intern.id))
    if (!(await written)) return
    onError(new Error(`Intern ${intern.name} (${intern.id}): ${failure}`))
    this.#restartLater(intern, restartAfterMs)
  }

  #restartLater({ id }: Intern, afterMs?: number): void {
    this.#resting.delete(id)
    this.#supervise(id).failed(() => this.#deps.lookAgain(id), afterMs)
  }

  #supervise(id: string): SupervisedIntern {
    const supervised = this.#supervised.get(id) ?? new SupervisedIntern()
    this.#supervised.set(id, supervised)
    return supervised
  }
}
