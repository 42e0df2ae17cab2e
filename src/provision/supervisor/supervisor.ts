import { type InternHosts, renewEveryMs } from '#interns/hosts/hosts.ts'
import { placeIntern } from '#interns/lifecycle/place-intern.ts'
import { findInternById, hasNoProcesses, type Intern } from '#interns/registry/intern-store.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import { hasForegroundRun } from '#interns/runs/run-store.ts'
import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import { waitUntil } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import type { StorageListener } from '../processes/storage-listener.ts'
import { InternLeases, type LeasedIntern } from './intern-leases.ts'
import { InternLifecycle } from './intern-lifecycle.ts'
import { Passes } from './passes.ts'
import type { Provisioner } from './provisioner.ts'

const pollMs = renewEveryMs

type SupervisorDeps = {
  db: Db
  now: Now
  provisioner: Provisioner
  hosts: InternHosts
  /** Encrypts the address and credentials with which other hosts reach an intern. */
  sealAccess: (id: string, access: TcpAccess) => string
  /** A name for this process of the server. */
  server: string
  /** Whether interns keep running when the server stops. */
  keepRunning: boolean
  /** The time without a run after which an intern falls asleep; 0 for never. */
  idleMs: number
  onError: (error: Error) => void
  recordRuns: (intern: Intern) => () => void
}

/**
 * Brings interns into the state that the database requires: starts, watches, restarts, stops and deletes them. It is notified
 * of changes, and reads the database every second.
 */
export class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #leases: InternLeases
  readonly #interns: InternLifecycle
  readonly #passes: Passes
  #isStopping = false
  /** The result of the first call of `stop`. */
  #stopResult: Promise<void> | undefined
  #poll: Reconciler | undefined
  #storageListener: StorageListener | undefined
  readonly #subscriptions: (() => void)[] = []
  /** Work outside of passes; a stop waits for it. */
  readonly #pending = new Set<Promise<void>>()

  constructor(deps: SupervisorDeps) {
    const { db, now, server, hosts, onError } = deps
    this.#deps = deps
    this.#leases = new InternLeases({ db, now, server, host: hosts.thisHost })
    const requestPass = (id: string) => void this.#passes.request(id)
    this.#interns = new InternLifecycle({ ...deps, leases: this.#leases, requestPass })
    this.#passes = new Passes(async (id) => {
      if (!this.#isStopping) await this.#reconcile(id).catch(onError)
    })
  }

  async start(): Promise<void> {
    const { db, hosts, provisioner, onError } = this.#deps
    if (db.kind === 'sqlite') await this.#leases.expire(undefined)
    this.#storageListener = await provisioner
      .serveStorage((id) => findInternById(db.query, id))
      .catch((error: Error) => {
        onError(
          new Error(`Other hosts cannot read the files of interns of this host that do not run: ${error.message}`),
        )
        return undefined
      })
    hosts.storagePort = this.#storageListener?.port ?? null
    await hosts.renew()
    // Interns can have been moved or deleted while this host was down.
    if (hosts.thisHost !== undefined) await provisioner.endForeignDaemons(() => this.#leases.findIds()).catch(onError)
    this.#subscriptions.push(
      db.signals.subscribe('intern.changed', (id) => this.#check(id)),
      db.signals.subscribe('rules.changed', () => void this.#track(this.#checkRules())),
      db.signals.onMissed(() => this.#poll?.trigger()),
    )
    await this.#checkAll().catch(onError)
    const poll = async () => {
      await this.#checkAll()
      return pollMs
    }
    this.#poll = startReconciler(poll, { firstMs: pollMs, retryMs: pollMs, onError })
  }

  /** Resolves when no caller of any server waits for a turn, or `signal` aborts. */
  async waitForTurns(signal: AbortSignal): Promise<void> {
    const { query, signals } = this.#deps.db
    const haveTurnsEnded = async () => !(await hasForegroundRun(query, [...this.#interns.supervisedIds()]))
    const subscribe = (onChange: () => void) => signals.subscribe('run.changed', onChange)
    await waitUntil(haveTurnsEnded, { subscribe, signal })
  }

  isSupervisingAny(): boolean {
    return this.#interns.isSupervisingAny()
  }

  /** Resolves when the intern runs or has failed, after the time, or when `signal` aborts. */
  async waitUntilSettled(id: string, withinMs: number, signal?: AbortSignal): Promise<void> {
    const isSettled = async () => {
      const status = (await this.#leases.find(id))?.intern.status
      return status !== 'queued' && status !== 'provisioning'
    }
    const subscribe = subscribeToEntity(this.#deps.db.signals, 'intern.changed', id)
    await waitUntil(isSettled, { subscribe, timeoutMs: withinMs, ...(signal && { signal }) })
  }

  /** Queues running interns again, so that the next server starts them; with `keepRunning` they continue, and it adopts them. */
  stop(): Promise<void> {
    this.#stopResult ??= this.#stopAll()
    return this.#stopResult
  }

  async #stopAll(): Promise<void> {
    this.#isStopping = true
    const pollEnd = this.#poll?.stop()
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    const ids = new Set([...this.#interns.stop(), ...this.#passes.ids()])
    for (const id of ids) this.#interns.release(id)
    await Promise.all([...ids].map((id) => this.#stopSupervising(id).catch(this.#deps.onError)))
    await Promise.all([pollEnd, ...this.#pending])
    // If this cannot be written, as on a full disk, other servers notice when the leases expire.
    const { server, hosts, onError } = this.#deps
    await this.#leases.expire(server).catch(onError)
    await this.#storageListener?.close()
    await hosts.leave().catch(onError)
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.catch(this.#deps.onError).finally(() => this.#pending.delete(tracked))
    this.#pending.add(tracked)
    return tracked
  }

  #check(id: string): void {
    void this.#passes.request(id)
    if (this.#interns.isStarting(id)) void this.#track(this.#abortUnneededStart(id))
  }

  /** Aborts the start of an intern that is suspended or deleted, so that its caller does not wait for a clone. */
  async #abortUnneededStart(id: string): Promise<void> {
    const leased = await this.#leases.find(id)
    const isUnneeded = leased?.intern.status === 'stopped' || leased?.intern.status === 'destroying'
    if (isUnneeded && this.#interns.isStarting(id)) await this.#deps.provisioner.leave(leased.intern)
  }

  async #reconcile(id: string): Promise<void> {
    let leased = await this.#leases.find(id)
    if (leased?.intern.status === 'queued' && leased.intern.hostname === null) {
      await placeIntern(this.#deps, id)
      leased = await this.#leases.find(id)
    }
    if (!leased || !this.#isFree(leased)) await this.#releaseIntern(id, leased !== undefined)
    if (!leased || !(await this.#takeLease(leased))) return
    await this.#interns.reconcile(leased.intern)
  }

  /** Stops supervising an intern. If it was moved, its daemon ends, because another host can run it. */
  async #releaseIntern(id: string, isOnThisHost: boolean): Promise<void> {
    const wasSupervised = this.#interns.isSupervised(id)
    this.#interns.release(id)
    if (wasSupervised && !isOnThisHost) await this.#deps.provisioner.endForeignDaemons(() => this.#leases.findIds())
  }

  /** Whether no other server holds the intern. */
  #isFree({ supervisor }: LeasedIntern): boolean {
    return supervisor === null || supervisor === this.#deps.server
  }

  /** Takes the lease of an intern that needs work. @returns whether this server holds it. */
  async #takeLease({ intern, supervisor, isExpired }: LeasedIntern): Promise<boolean> {
    const { status, hostname } = intern
    const { thisHost } = this.#deps.hosts
    // The intern waits for a host, or needs nothing from this host.
    if (thisHost === undefined || (status === 'queued' && hostname !== thisHost)) return false
    // A queued intern is claimed again, which stores its location on this host.
    if (supervisor === this.#deps.server && status !== 'queued') return true
    // An intern at rest on which no server holds a lease needs no supervisor.
    if (supervisor === null && hasNoProcesses(intern)) return false
    if (supervisor !== null && supervisor !== this.#deps.server && !isExpired) return false
    return this.#leases.claim(intern, this.#deps.provisioner.locationOf(intern))
  }

  async #checkAll(): Promise<void> {
    // A start can take long: this server must not lose the lease in the meantime.
    if (this.#interns.isSupervisingAny() || this.#passes.isRunningAny()) await this.#leases.renew()
    // The embedded database has only one server.
    if (this.#deps.db.kind === 'postgres') await this.#deps.hosts.renew()
    const inUse = await this.#leases.findInUse()
    for (const leased of inUse) if (this.#needsCheck(leased)) this.#check(leased.intern.id)
    const inUseIds = new Set(inUse.map(({ intern }) => intern.id))
    for (const id of this.#interns.supervisedIds()) if (!inUseIds.has(id)) void this.#passes.request(id)
    await this.#checkRules(inUse)
  }

  /** Requests a pass for each daemon with outdated rules. */
  async #checkRules(inUse?: LeasedIntern[]): Promise<void> {
    const ownInterns = (inUse ?? (await this.#leases.findInUse())).filter(
      ({ supervisor }) => supervisor === this.#deps.server,
    )
    const outdated = await this.#interns.findOutdated(ownInterns.map(({ intern }) => intern))
    for (const { id } of outdated) void this.#passes.request(id)
  }

  #needsCheck({ intern: { id, status }, supervisor, isExpired }: LeasedIntern): boolean {
    if (status === 'queued') return true
    if (supervisor === this.#deps.server) {
      return !((status === 'running' || status === 'failed') && this.#interns.isSupervised(id))
    }
    return supervisor === null || isExpired
  }

  async #stopSupervising(id: string): Promise<void> {
    const { provisioner, server, keepRunning } = this.#deps
    const leased = await this.#leases.find(id)
    if (!leased || leased.supervisor !== server) {
      // Wait for its pass, which would otherwise take the intern, or find the database closed. A start that another server
      // took over is not ended here.
      if (!this.#interns.isStarting(id)) await this.#passes.waitUntilEnded(id)
      return
    }
    const { status } = leased.intern
    // Its pass still reads the database.
    if (keepRunning && status === 'running') return await this.#passes.waitUntilEnded(id)
    await provisioner.leave(leased.intern)
    await this.#passes.waitUntilEnded(id)
    // A pending start can have finished in the meantime.
    await provisioner.leave(leased.intern)
    if (status === 'running' || status === 'failed' || status === 'provisioning') {
      await this.#leases.transition(id, status, { status: 'queued', release: true })
    }
  }
}
