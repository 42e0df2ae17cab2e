import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { InternHost } from '../registry/intern.ts'

/** A server says this often that its host is there. */
export const renewEveryMs = 1000
/** A host that nobody has heard of for so long is gone, by the database's clock. */
const goneAfterMs = 7000
/** A server that was stopped may have another one on its host, which says so within this time. */
const succeededWithinMs = 2 * renewEveryMs

/** What a server says of its host. */
export type OwnHost = { name: string; address: string | null; labels: string[]; capacity: number }

/** A host that runs interns, as the database knows it. `gone` says why and since when, if it is. */
export type KnownHost = OwnHost & {
  /** At which port a server of the host answers for interns that do not run; null where none does. */
  keptPort: number | null
  gone: { reason: string; since: number } | null
}

type HostDeps = {
  db: Db
  clock: Pick<DatabaseClock, 'at'>
  /** The host of this server; undefined where no interns run. */
  own: OwnHost | undefined
}

type HostRow = Selectable<Tables['intern_hosts']> & { now: number }

/** The hosts that interns live on: those that are there, and those that are gone. */
export class InternHosts {
  readonly #deps: HostDeps
  /** The name of this server's host. */
  readonly here: string | undefined
  /** At which port this server answers for interns of its host that do not run. */
  keptPort: number | null = null

  constructor(deps: HostDeps) {
    this.#deps = deps
    this.here = deps.own?.name
  }

  /** Says that this server's host is there. */
  async renew(): Promise<void> {
    const { db, clock, own } = this.#deps
    if (!own) return
    const { name, address, labels, capacity } = own
    const is = { name, address, labels: JSON.stringify(labels), capacity, kept_port: this.keptPort }
    const row = { ...is, seen_at: clock.at() as never, left_at: null }
    await upsert(db.query, 'intern_hosts', [row], { key: ['name'] }).execute()
  }

  /** Says that it is no more, from now on. */
  async leave(): Promise<void> {
    const { db, clock, own } = this.#deps
    if (!own) return
    const left = { left_at: clock.at() as never }
    await db.query.updateTable('intern_hosts').set(left).where('name', '=', own.name).execute()
  }

  async all(query: Query | Tx = this.#deps.db.query): Promise<KnownHost[]> {
    return (await this.#rows(query).orderBy('name').execute()).map((row) => this.#known(row))
  }

  /** Undefined where it has never been heard of. */
  async find(name: string, query: Query | Tx = this.#deps.db.query): Promise<KnownHost | undefined> {
    const row = await this.#rows(query).where('name', '=', name).executeTakeFirst()
    return row && this.#known(row)
  }

  /** Whether an intern lives on the host of this server; where it has none yet, whether it may be started here. */
  isHere(hostname: string | null): boolean {
    return this.here !== undefined && (hostname ?? this.here) === this.here
  }

  /** How interns are told where they live. Of this server's own host nothing needs to be asked. */
  async standings(names: (string | null)[]): Promise<(name: string | null) => InternHost | null> {
    const isElsewhere = names.some((name) => name !== null && name !== this.here)
    const known = new Map((isElsewhere ? await this.all() : []).map((host) => [host.name, host]))
    return (name) => {
      if (name === null) return null
      return standingOf(name === this.here ? { name, gone: null } : (known.get(name) ?? unknownHost(name)))
    }
  }

  async standing(name: string | null): Promise<InternHost | null> {
    return (await this.standings([name]))(name)
  }

  #rows(query: Query | Tx) {
    return query.selectFrom('intern_hosts').selectAll().select(this.#deps.clock.at().as('now'))
  }

  #known(row: HostRow): KnownHost {
    const { name, address, labels, capacity, kept_port: keptPort } = row
    const own = { name, address, labels: JSON.parse(labels) as string[], capacity, keptPort }
    return { ...own, gone: name === this.here ? null : goneBy(row) }
  }
}

/** How it is, as clients are told. */
export function standingOf({ name, gone }: Pick<KnownHost, 'name' | 'gone'>): InternHost {
  if (!gone) return { name, state: 'up', reason: null, since: null }
  return { name, state: 'gone', reason: gone.reason, since: gone.since === 0 ? null : isoTime(gone.since) }
}

function goneBy({ name, seen_at, left_at, now }: HostRow): KnownHost['gone'] {
  if (left_at !== null && now - left_at > succeededWithinMs)
    return { reason: `The server of the host ${name} was stopped.`, since: left_at }
  if (now - seen_at <= goneAfterMs) return null
  return { reason: `The host ${name} has not been heard of.`, since: seen_at }
}

/** From before hosts were known, or of another installation. */
export function unknownHost(name: string): Pick<KnownHost, 'name' | 'address' | 'keptPort' | 'gone'> {
  return {
    name,
    address: null,
    keptPort: null,
    gone: { reason: `The host ${name} has never been heard of.`, since: 0 },
  }
}

/** For people: that the host is gone, why and since when. */
export function lostHostMessage({ reason, since }: NonNullable<KnownHost['gone']>): string {
  return since === 0 ? reason : `${reason.replace(/\.$/, '')} (since ${isoTime(since)}).`
}
