import { hashOf } from '#identity/accounts/keys/secret.ts'
import { hasInternKey, issueInternKey } from '#interns/registry/intern-key.ts'
import { type Intern, isAsleep } from '#interns/registry/intern-store.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { isTransientFailure } from '../host/transient-failure.ts'
import { destroyIntern, endSleepingIntern, endStoppedIntern } from './end-intern.ts'
import type { InternLeases } from './intern-leases.ts'
import type { Provisioner } from './provisioner.ts'
import { RulePusher } from './push-rules.ts'
import { SupervisedInterns, type SupervisedInternsDeps } from './supervised-interns.ts'

type InternLifecycleDeps = SupervisedInternsDeps & {
  db: Db
  now: Now
  leases: InternLeases
  provisioner: Provisioner
  /** Encrypts the address and credentials with which other hosts reach an intern. */
  sealAccess: (id: string, access: TcpAccess) => string
  onError: (error: Error) => void
}

/** The delay of a restart if the daemon had ended before this server looked for it, in milliseconds. */
const restartNow = 0

/** The work of a server for the interns whose leases it holds. */
export class InternLifecycle {
  readonly #deps: InternLifecycleDeps
  readonly #supervised: SupervisedInterns
  readonly #rules: RulePusher
  readonly #starting = new Set<string>()
  #isStopping = false

  constructor(deps: InternLifecycleDeps) {
    this.#deps = deps
    this.#supervised = new SupervisedInterns(deps)
    this.#rules = new RulePusher(deps)
  }

  supervisedIds(): Iterable<string> {
    return this.#supervised.ids()
  }

  isSupervised(id: string): boolean {
    return this.#supervised.has(id)
  }

  /** Whether this server is starting the intern, which can take as long as the clone of its repository. */
  isStarting(id: string): boolean {
    return this.#starting.has(id)
  }

  isSupervisingAny(): boolean {
    return this.#supervised.hasAny()
  }

  /** Stops supervising an intern. */
  release(id: string): void {
    this.#rules.forget(id)
    this.#supervised.release(id)
  }

  /** Prevents further starts. @returns the ids of the supervised interns. */
  stop(): string[] {
    this.#isStopping = true
    return [...this.#supervised.ids()]
  }

  /** Does the work that the status of an intern requires. */
  async reconcile(intern: Intern): Promise<void> {
    switch (intern.status) {
      case 'queued':
        return this.#startQueued(intern)
      case 'provisioning':
        return this.#provision(intern)
      case 'running':
        return this.#checkRunning(intern)
      case 'failed':
        return this.#restart(intern)
      case 'stopped':
        this.release(intern.id)
        return endStoppedIntern(this.#deps, intern)
      case 'destroying':
        this.release(intern.id)
        return destroyIntern(this.#deps, intern)
      case 'destroy_failed':
        return
      default:
        intern.status satisfies never
    }
  }

  async #startQueued(intern: Intern): Promise<void> {
    this.release(intern.id)
    if (await this.#deps.leases.transition(intern.id, 'queued', { status: 'provisioning' }))
      await this.#provision(intern)
  }

  /** Starts the daemon. Stores a failure for the owner, and schedules a restart if it is transient. */
  async #provision(intern: Intern): Promise<void> {
    await this.#start(intern, async (failure, error) => {
      const isTransient = isTransientFailure(error)
      await this.#deps.leases.transition(intern.id, 'provisioning', {
        status: 'failed',
        failure,
        release: !isTransient,
      })
      if (isTransient) this.#supervised.restartLater(intern.id)
    })
  }

  /** The interns among these that run here with rules that have changed. */
  findOutdated(interns: Intern[]): Promise<Intern[]> {
    return this.#rules.findOutdated(
      interns.filter(({ id, status }) => status === 'running' && this.#supervised.has(id)),
    )
  }

  /** Adopts a daemon of an earlier process, updates the rules, or ends the processes of an intern that fell asleep. */
  async #checkRunning(intern: Intern): Promise<void> {
    if (isAsleep(intern)) {
      this.release(intern.id)
      return endSleepingIntern(this.#deps, intern)
    }
    if (this.#supervised.isFallingAsleep(intern.id)) return this.#putToSleep(intern)
    if (this.#supervised.has(intern.id)) return this.#updateRules(intern)
    if (await this.#deps.provisioner.adopt(intern)) {
      this.#watch(intern)
      await this.#updateRules(intern)
    } else await this.#fail(intern, 'The daemon had ended when the service looked for it.', restartNow)
  }

  /** Restarts a failed intern if its restart is due. */
  async #restart(intern: Intern): Promise<void> {
    const { leases } = this.#deps
    // Another server supervised it when it failed.
    if (!this.#supervised.has(intern.id)) return this.#supervised.restartLater(intern.id, restartNow)
    if (!this.#supervised.takeRestart(intern.id)) return
    const transition = leases.transition(intern.id, 'failed', { status: 'provisioning' })
    // `takeRestart` has used up this restart: if the database does not answer, schedule another one.
    transition.catch(() => this.#supervised.restartLater(intern.id))
    if (!(await transition)) return
    await this.#start(intern, async (failure) => {
      await leases.transition(intern.id, 'provisioning', { status: 'failed', failure })
      this.#supervised.restartLater(intern.id)
    })
  }

  /** @param onFailure receives the message and the error. It is not called while the server stops. */
  async #start(intern: Intern, onFailure: (failure: string, error: unknown) => Promise<unknown>): Promise<void> {
    const { leases, provisioner, sealAccess, onError } = this.#deps
    const { id } = intern
    let hasStarted = false
    this.#starting.add(id)
    try {
      const secret = await this.#secretFor(intern)
      // A stopping server has aborted its starts already, and would wait for a clone that starts after that.
      if (this.#isStopping) return
      const access = await provisioner.start(
        intern,
        secret,
        (progress) => void leases.setProgress(id, progress).catch(onError),
      )
      hasStarted = true
      const tcpAccess = access ? sealAccess(id, access) : null
      const startedIntern = { ...intern, tcpAccess }
      // The rules must be in force before a client can send a prompt, which is possible in the status `running`.
      await this.#rules.push(startedIntern)
      // Another server or a caller can have changed the status in the meantime.
      const isRunning =
        !this.#isStopping &&
        (await leases.transition(id, 'provisioning', { status: 'running', tcpAccess, asleepSince: null }))
      if (isRunning) this.#watch(startedIntern)
    } catch (error) {
      if (this.#isStopping) return
      // Nothing supervises the daemon of a failed start.
      if (hasStarted) await provisioner.stop(intern).catch(onError)
      await onFailure((error as Error).message, error)
    } finally {
      this.#starting.delete(id)
    }
  }

  /** Puts an intern to sleep. Only a pass calls this: another one at the same time could report the ended daemon as a failure. */
  async #putToSleep(intern: Intern): Promise<void> {
    const { leases, now } = this.#deps
    // From now on the end of the daemon is not a failure.
    this.release(intern.id)
    const asleepState = { status: 'running', asleepSince: now() } as const
    if (await leases.transition(intern.id, 'running', asleepState)) await endSleepingIntern(this.#deps, intern)
  }

  /** Pushes changed rules. A daemon that does not accept them must not continue without them: it is replaced. */
  async #updateRules(intern: Intern): Promise<void> {
    if ((await this.#rules.findOutdated([intern])).length === 0) return
    try {
      await this.#rules.push(intern)
    } catch (error) {
      if (!this.#isStopping) await this.#fail(intern, `It did not accept its rules: ${(error as Error).message}`)
    }
  }

  async #secretFor(intern: Intern): Promise<string> {
    const previous = await this.#deps.provisioner.secretOf(intern)
    const isValid = previous && hashOf(previous) === intern.keyHash && (await hasInternKey(this.#deps, intern))
    if (isValid) return previous
    return issueInternKey(this.#deps, intern)
  }

  #watch(intern: Intern): void {
    const { onError } = this.#deps
    this.#supervised.watch(
      intern,
      (reason) => void this.#fail(intern, reason).catch(onError),
      () => void this.#replace(intern).catch(onError),
    )
  }

  /** Restarts the intern with a newer daemon. */
  async #replace({ id }: Intern): Promise<void> {
    const { leases, requestPass } = this.#deps
    if (this.#isStopping) return
    if (await leases.transition(id, 'running', { status: 'queued' })) requestPass(id)
  }

  async #fail(intern: Intern, failure: string, restartAfterMs?: number): Promise<void> {
    const { leases, onError } = this.#deps
    if (this.#isStopping) return
    const stored = leases.transition(intern.id, 'running', { status: 'failed', failure })
    // The watch reports a failure only once. If it cannot be stored, the next pass must look for the daemon, which it does only
    // for an intern that is not supervised.
    stored.catch(() => this.release(intern.id))
    if (!(await stored)) return
    onError(new Error(`Intern ${intern.name} (${intern.id}): ${failure}`))
    this.#supervised.restartLater(intern.id, restartAfterMs)
  }
}
