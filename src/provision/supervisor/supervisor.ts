import { setTimeout as sleep } from 'node:timers/promises'
import { type InternHosts, renewEveryMs } from '#interns/hosts/hosts.ts'
import { placeIntern } from '#interns/lifecycle/place.ts'
import { type Intern, internById, isAsleep } from '#interns/registry/store.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import { isInTurn } from '#interns/runs/run-store.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { KeptListener } from '../processes/kept-listener.ts'
import { InternLeases, type LeasedIntern } from './intern-leases.ts'
import { InternLifecycle } from './intern-lifecycle.ts'
import { Passes } from './passes.ts'
import type { Provisioner } from './provisioner.ts'

const pollMs = renewEveryMs
const turnsPollMs = 100
/** Interns in these states need nobody, unless somebody holds a lease on them. */
const atRest: readonly string[] = ['stopped', 'failed', 'destroy_failed']

type SupervisorDeps = {
  db: Db
  now: Now
  provisioner: Provisioner
  hosts: InternHosts
  /** Encrypts how an intern is reached from other hosts. */
  sealAccess: (id: string, access: TcpAccess) => string
  /** The name of this life of this server. */
  server: string
  /** Whether interns keep running when the server stops. */
  keepRunning: boolean
  /** After how long without a turn an intern falls asleep; 0 for never. */
  idleMs: number
  onError: (error: Error) => void
  follow: (intern: Intern) => () => void
}

/**
 * Makes interns what the database says they should be: started, watched, started again, stopped, taken down. It hears
 * of changes by signal, and looks for itself every second.
 */
export class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #leases: InternLeases
  readonly #interns: InternLifecycle
  readonly #passes: Passes
  #isStopping = false
  #stopped: Promise<void> | undefined
  #poll: NodeJS.Timeout | undefined
  #keptListener: KeptListener | undefined
  readonly #unsubscribe: (() => void)[] = []
  /** What goes on beside the passes; a stop waits for it. */
  readonly #beside = new Set<Promise<void>>()

  constructor(deps: SupervisorDeps) {
    const { db, now, server, hosts, onError } = deps
    this.#deps = deps
    this.#leases = new InternLeases({ db, now, server, host: hosts.here })
    const lookAgain = (id: string) => void this.#passes.request(id)
    this.#interns = new InternLifecycle({ ...deps, leases: this.#leases, lookAgain })
    this.#passes = new Passes(async (id) => {
      if (!this.#isStopping) await this.#attend(id).catch(onError)
    })
  }

  async start(): Promise<void> {
    const { db, hosts, provisioner, onError } = this.#deps
    const lookAtAll = () => this.#do(this.#lookAtAll())
    if (db.kind === 'sqlite') await this.#leases.expire(undefined)
    this.#keptListener = await provisioner
      .serveKept((id) => internById(db.query, id))
      .catch((error: Error) => {
        onError(new Error(`Other hosts get at nothing of interns here that do not run: ${error.message}`))
        return undefined
      })
    hosts.keptPort = this.#keptListener?.port ?? null
    await hosts.renew()
    // Of interns that were moved or given up while this host was away.
    if (hosts.here !== undefined) await provisioner.endStrangers(() => this.#leases.idsHere()).catch(onError)
    this.#unsubscribe.push(
      db.signals.subscribe('intern.changed', (id) => this.#look(id)),
      db.signals.subscribe('rules.changed', () => void this.#do(this.#lookAtRules())),
      db.signals.onMissed(lookAtAll),
    )
    const next = async () => {
      await lookAtAll()
      if (!this.#isStopping) this.#poll = setTimeout(next, pollMs).unref()
    }
    await next()
  }

  /** Resolves when no turn runs that a caller of any server waits for, or `signal` aborts. */
  async turnsOver(signal: AbortSignal): Promise<void> {
    const { db } = this.#deps
    while (!signal.aborted && (await isInTurn(db.query, [...this.#interns.supervisedIds()])))
      await sleep(turnsPollMs, undefined, { signal }).catch(() => {})
  }

  isSupervisingAny(): boolean {
    return this.#interns.isSupervisingAny()
  }

  /** Resolves when the intern runs, or cannot, or time is up. */
  async settled(id: string, withinMs: number): Promise<void> {
    const until = performance.now() + withinMs
    for (;;) {
      const status = (await this.#leases.find(id))?.intern.status
      if ((status !== 'queued' && status !== 'provisioning') || performance.now() > until) return
      await sleep(20)
    }
  }

  /** Interns that ran are queued again, so that the next server starts them; or they go on, for it to find. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#poll)
    for (const end of this.#unsubscribe) end()
    const ids = new Set([...this.#interns.stop(), ...this.#passes.ids()])
    for (const id of ids) this.#interns.release(id)
    await Promise.all([...ids].map((id) => this.#leave(id).catch(this.#deps.onError)))
    await Promise.all(this.#beside)
    // What cannot be told to the others, as on a full disk, they see from the time that passes.
    const { server, hosts, onError } = this.#deps
    await this.#leases.expire(server).catch(onError)
    await this.#keptListener?.close()
    await hosts.leave().catch(onError)
  }

  #do(work: Promise<void>): Promise<void> {
    const done = work.catch(this.#deps.onError).finally(() => this.#beside.delete(done))
    this.#beside.add(done)
    return done
  }

  #look(id: string): void {
    void this.#passes.request(id)
    if (this.#interns.isStarting(id)) void this.#do(this.#breakOffUnwanted(id))
  }

  /** Who suspends or deletes an intern is not to wait for a clone that nobody wants any more: the pass of its start ends. */
  async #breakOffUnwanted(id: string): Promise<void> {
    const found = await this.#leases.find(id)
    const isUnwanted = found?.intern.status === 'stopped' || found?.intern.status === 'destroying'
    if (isUnwanted && this.#interns.isStarting(id)) await this.#deps.provisioner.leave(found.intern)
  }

  async #attend(id: string): Promise<void> {
    let found = await this.#leases.find(id)
    if (found?.intern.status === 'queued' && found.intern.hostname === null) {
      await placeIntern(this.#deps, id)
      found = await this.#leases.find(id)
    }
    if (!found || !this.#mayHold(found)) await this.#letGo(id, found !== undefined)
    if (!found || !(await this.#hold(found))) return
    const { intern } = found
    const { status } = intern
    if (status !== 'destroy_failed') await this.#interns[status](intern)
  }

  /** Of an intern that lives here no more, the daemon ends: another host may run it. */
  async #letGo(id: string, livesHere: boolean): Promise<void> {
    const wasSupervised = this.#interns.isSupervised(id)
    this.#interns.release(id)
    if (wasSupervised && !livesHere) await this.#deps.provisioner.endStrangers(() => this.#leases.idsHere())
  }

  /** Whether no other server holds the intern. */
  #mayHold({ supervisor }: LeasedIntern): boolean {
    return supervisor === null || supervisor === this.#deps.server
  }

  /** Takes the lease of an intern for which something is to be done. @returns whether this server holds it. */
  async #hold({ intern, supervisor, expired }: LeasedIntern): Promise<boolean> {
    const { status, hostname } = intern
    const { here } = this.#deps.hosts
    // It waits for a host, or has nothing here to look after.
    if (here === undefined || (status === 'queued' && hostname !== here)) return false
    if (supervisor === this.#deps.server && status !== 'queued') return true
    if (supervisor === null && (atRest.includes(status) || isAsleep(intern))) return false
    if (supervisor !== null && supervisor !== this.#deps.server && !expired) return false
    return this.#leases.claim(intern, this.#deps.provisioner.placeOf(intern))
  }

  async #lookAtAll(): Promise<void> {
    // A start may take long: whoever is at it must not lose the intern meanwhile.
    if (this.#interns.isSupervisingAny() || this.#passes.isRunningAny()) await this.#leases.renew()
    // With the embedded database there is nobody else to tell.
    if (this.#deps.db.kind === 'postgres') await this.#deps.hosts.renew()
    const inUse = await this.#leases.inUse()
    for (const found of inUse) if (this.#needsLook(found)) this.#look(found.intern.id)
    const known = new Set(inUse.map(({ intern }) => intern.id))
    for (const id of this.#interns.supervisedIds()) if (!known.has(id)) void this.#passes.request(id)
    await this.#lookAtRules(inUse)
  }

  /** A daemon that judges by rules of before is told those that hold. */
  async #lookAtRules(all?: LeasedIntern[]): Promise<void> {
    const held = (all ?? (await this.#leases.inUse())).filter(({ supervisor }) => supervisor === this.#deps.server)
    const outdated = await this.#interns.outdated(held.map(({ intern }) => intern))
    for (const { id } of outdated) void this.#passes.request(id)
  }

  #needsLook({ intern: { id, status }, supervisor, expired }: LeasedIntern): boolean {
    if (status === 'queued') return true
    if (supervisor === this.#deps.server) {
      return !((status === 'running' || status === 'failed') && this.#interns.isSupervised(id))
    }
    return supervisor === null || expired
  }

  async #leave(id: string): Promise<void> {
    const { provisioner, server, keepRunning } = this.#deps
    const found = await this.#leases.find(id)
    if (!found || found.supervisor !== server) {
      // Who looks at it still would take it, or find the database closed. A start of it that another server took over
      // is ended by nobody here.
      if (!this.#interns.isStarting(id)) await this.#passes.ended(id)
      return
    }
    const { status } = found.intern
    if (keepRunning && status === 'running') return
    await provisioner.leave(found.intern)
    await this.#passes.ended(id)
    // A start that was pending may have finished meanwhile.
    await provisioner.leave(found.intern)
    if (status === 'running' || status === 'failed' || status === 'provisioning') {
      await this.#leases.transition(id, status, { status: 'queued', release: true })
    }
  }
}
