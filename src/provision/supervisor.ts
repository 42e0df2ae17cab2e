import { hostname } from 'node:os'
import { hashOf } from '#accounts/secret.ts'
import type { Db } from '#db/db.ts'
import { giveKey, hasKey } from '#interns/own-key.ts'
import type { Intern } from '#interns/store.ts'
import type { Now } from '#lib/clock.ts'
import type { Provisioner } from './provisioner.ts'
import { type Looked, supervision } from './supervision.ts'

const pollMs = 1000
/** A daemon that dies is started again, at first soon. */
const backoff = { firstMs: 500, mostMs: 60_000, forgottenAfterMs: 60_000 }

export type SupervisorDeps = {
  db: Db
  now: Now
  provisioner: Provisioner
  /** The name of this life of this server. */
  server: string
  /** Whether interns go on when the server stops. */
  keepRunning: boolean
  onError: (error: Error) => void
}

/** What this server knows of an intern it looks after. */
type Ward = {
  unwatch: () => void
  /** Until it is time to start it again; `due` from then on. */
  timer: NodeJS.Timeout | undefined
  due: boolean
  failures: number
  startedAt: number
}

const newWard = (): Ward => ({ unwatch: () => {}, timer: undefined, due: false, failures: 0, startedAt: 0 })

export type Supervisor = {
  start: () => Promise<void>
  /** Resolves when the intern runs, or cannot, or time is up. */
  settled: (id: string, withinMs: number) => Promise<void>
  stop: () => Promise<void>
}

/**
 * Makes interns what the database says they should be: started, watched, started again, stopped, taken down. It hears
 * of changes by signal, and looks for itself every second.
 */
export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { db, now, provisioner, onError } = deps
  const rows = supervision({ db, now, server: deps.server, host: hostname() })
  const wards = new Map<string, Ward>()
  const tending = new Map<string, Promise<void>>()
  const again = new Set<string>()
  let stopping = false
  let poll: NodeJS.Timeout | undefined
  const ends: (() => void)[] = []

  /** One thing at a time for each intern; what comes meanwhile is looked at afterwards. */
  const tend = (id: string): Promise<void> => {
    const underway = tending.get(id)
    if (underway) {
      again.add(id)
      return underway
    }
    const work = (async () => {
      do {
        again.delete(id)
        if (!stopping) await attend(id).catch(onError)
      } while (again.has(id) && !stopping)
    })().finally(() => tending.delete(id))
    tending.set(id, work)
    return work
  }

  const attend = async (id: string) => {
    const found = await rows.look(id)
    const mine = found?.supervisor === deps.server
    if (!found || (found.supervisor !== null && !mine)) letGo(id)
    if (!found || !(await held(found, mine))) return
    const { intern } = found
    switch (intern.status) {
      case 'queued':
        letGo(id)
        if (await rows.become(id, 'queued', { status: 'provisioning' })) await provision(intern, true)
        return
      case 'provisioning':
        return provision(intern, true)
      case 'running':
        return wards.has(id) ? undefined : adopt(intern)
      case 'failed':
        return startAgain(intern)
      case 'stopped':
        letGo(id)
        return suspend(intern)
      case 'destroying':
        letGo(id)
        return destroy(intern)
      case 'destroy_failed':
        return
    }
  }

  const held = async ({ intern, supervisor, lapsed }: Looked, mine: boolean) => {
    const { status } = intern
    if (mine && status !== 'queued') return true
    const needed = supervisor !== null || !['stopped', 'failed', 'destroy_failed'].includes(status)
    if (!needed || !(status === 'queued' || supervisor === null || lapsed)) return false
    return rows.claim(intern, provisioner.placeOf(intern))
  }

  /** `asked`: somebody waits for it, so that a failure is told and left to them. */
  const provision = async (intern: Intern, asked: boolean) => {
    const { id } = intern
    try {
      await provisioner.start(
        intern,
        await secretFor(intern),
        (progress) => void rows.tell(id, progress).catch(onError),
      )
      // Whoever took over meanwhile, or asked for something else, sees to it.
      if (!stopping && (await rows.become(id, 'provisioning', { status: 'running' }))) watch(intern)
    } catch (error) {
      if (stopping) return
      const failure = (error as Error).message
      await rows.become(id, 'provisioning', { status: 'failed', failure, release: asked })
      if (!asked) restartLater(intern)
    }
  }

  const secretFor = async (intern: Intern) => {
    const known = provisioner.secretOf(intern)
    if (known && hashOf(known) === intern.keyHash && (await hasKey(deps, intern))) return known
    return giveKey(deps, intern)
  }

  const adopt = async (intern: Intern) => {
    if (await provisioner.adopt(intern)) return watch(intern)
    await fail(intern, 'The daemon was gone when the service looked for it.', 0)
  }

  const watch = (intern: Intern) => {
    const { id } = intern
    const ward = wards.get(id)
    ward?.unwatch()
    const unwatch = provisioner.watch(intern, (reason) => void fail(intern, reason).catch(onError))
    wards.set(id, { ...newWard(), unwatch, failures: ward?.failures ?? 0, startedAt: performance.now() })
  }

  const fail = async (intern: Intern, failure: string, afterMs?: number) => {
    if (stopping || !(await rows.become(intern.id, 'running', { status: 'failed', failure }))) return
    onError(new Error(`Intern ${intern.name} (${intern.id}): ${failure}`))
    restartLater(intern, afterMs)
  }

  const startAgain = async (intern: Intern) => {
    const ward = wards.get(intern.id)
    // Another server had it when it failed.
    if (!ward) return restartLater(intern, 0)
    if (!ward.due) return
    ward.due = false
    if (await rows.become(intern.id, 'failed', { status: 'provisioning' })) await provision(intern, false)
  }

  const restartLater = ({ id }: Intern, afterMs?: number) => {
    const ward = wards.get(id) ?? newWard()
    ward.unwatch()
    clearTimeout(ward.timer)
    const lasted = performance.now() - ward.startedAt
    const failures = lasted > backoff.forgottenAfterMs ? 0 : ward.failures
    const later = { ...ward, unwatch: () => {}, due: false, failures: failures + 1 }
    const restart = () => {
      later.due = true
      void tend(id)
    }
    later.timer = setTimeout(restart, afterMs ?? Math.min(backoff.firstMs * 2 ** failures, backoff.mostMs)).unref()
    wards.set(id, later)
  }

  const suspend = async (intern: Intern) => {
    const { id } = intern
    try {
      await provisioner.stop(intern)
      await rows.become(id, 'stopped', { status: 'stopped', release: true })
    } catch (error) {
      // It is not stopped: whoever asked for that can see so, and ask again.
      await rows.become(id, 'stopped', { status: 'failed', failure: (error as Error).message, release: true })
    }
  }

  const destroy = async (intern: Intern) => {
    try {
      await provisioner.destroy(intern)
      await rows.forget(intern)
    } catch (error) {
      const failure = (error as Error).message
      await rows.become(intern.id, 'destroying', { status: 'destroy_failed', failure, release: true })
    }
  }

  const letGo = (id: string) => {
    const ward = wards.get(id)
    ward?.unwatch()
    clearTimeout(ward?.timer)
    wards.delete(id)
  }

  const lookAround = async () => {
    if (wards.size > 0) await rows.renew()
    for (const { intern, supervisor, lapsed } of await rows.open()) {
      const settled = intern.status === 'running' || intern.status === 'failed'
      const quiet = supervisor === deps.server ? settled && wards.has(intern.id) : supervisor !== null && !lapsed
      if (!quiet || intern.status === 'queued') void tend(intern.id)
    }
  }

  const settled = async (id: string, withinMs: number) => {
    const until = performance.now() + withinMs
    for (;;) {
      const status = (await rows.look(id))?.intern.status
      if ((status !== 'queued' && status !== 'provisioning') || performance.now() > until) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  return {
    async start() {
      if (db.kind === 'sqlite') await rows.lapse(undefined)
      ends.push(db.signals.subscribe('intern.changed', (id) => void tend(id)))
      ends.push(db.signals.onMissed(() => void lookAround().catch(onError)))
      const next = async () => {
        await lookAround().catch(onError)
        if (!stopping) poll = setTimeout(next, pollMs).unref()
      }
      await next()
    },
    settled,
    async stop() {
      stopping = true
      clearTimeout(poll)
      for (const end of ends) end()
      const mine = [...new Set([...wards.keys(), ...tending.keys()])]
      for (const id of mine) letGo(id)
      await leave(mine)
    },
  }

  /** Interns that ran are asked for anew, so that the next server starts them; or they go on, for it to find. */
  async function leave(ids: string[]): Promise<void> {
    const stopOne = async (id: string) => {
      const found = await rows.look(id)
      if (!found || found.supervisor !== deps.server) return
      const { status } = found.intern
      if (deps.keepRunning && status === 'running') return
      await provisioner.stop(found.intern)
      await tending.get(id)
      // What was about to be started has been started meanwhile.
      await provisioner.stop(found.intern)
      if (status === 'running' || status === 'failed' || status === 'provisioning') {
        await rows.become(id, status, { status: 'queued', release: true })
      }
    }
    await Promise.all(ids.map((id) => stopOne(id).catch(onError)))
    await rows.lapse(deps.server)
  }
}
