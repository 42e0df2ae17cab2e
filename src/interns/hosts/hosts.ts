import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { InternHost } from '../registry/intern.ts'

/** The interval at which a server reports that its host is available. */
export const renewEveryMs = 1000
/** A host without a report for this time is lost, by the database's clock. */
const lostAfterMs = 7000
/** After a server stops, another server of the same host renews the row of the host within this time. The host is not lost before. */
const successorTimeoutMs = 2 * renewEveryMs

/** A server's description of its host. `capacity` is the most interns in service; 0 for no limit. */
export type HostDescription = { name: string; address: string | null; labels: string[]; capacity: number }

/** A host of interns in the database. `loss` has the reason and time if the host is lost; `since` is 0 if the time is unknown. */
export type KnownHost = HostDescription & {
  /** The port at which a server of the host serves the files of interns that do not run; null if there is none. */
  storagePort: number | null
  loss: { reason: string; since: number } | null
}

type HostDeps = {
  db: Db
  clock: Pick<DatabaseClock, 'nowSql'>
  /** The host of this server; undefined if it runs no interns. */
  ownHost: HostDescription | undefined
}

type HostRow = Selectable<Tables['intern_hosts']> & { now: number }

/** The hosts of interns, available or lost. */
export class InternHosts {
  readonly #deps: HostDeps
  /** The name of this server's host. */
  readonly thisHost: string | undefined
  /** The port at which this server serves the files of interns of its host that do not run. */
  storagePort: number | null = null

  constructor(deps: HostDeps) {
    this.#deps = deps
    this.thisHost = deps.ownHost?.name
  }

  /** Reports that this server's host is available. */
  async renew(): Promise<void> {
    const { db, clock, ownHost } = this.#deps
    if (!ownHost) return
    const { name, address, labels, capacity } = ownHost
    const description = { name, address, labels: JSON.stringify(labels), capacity, kept_port: this.storagePort }
    const row = { ...description, seen_at: clock.nowSql(), left_at: null }
    await upsert(db.query, 'intern_hosts', [row], { key: ['name'] }).execute()
  }

  /** Reports that this server stops. */
  async leave(): Promise<void> {
    const { db, clock, ownHost } = this.#deps
    if (!ownHost) return
    const columns = { left_at: clock.nowSql() }
    await db.query.updateTable('intern_hosts').set(columns).where('name', '=', ownHost.name).execute()
  }

  async list(query: Query | Tx = this.#deps.db.query): Promise<KnownHost[]> {
    return (await this.#rows(query).orderBy('name').execute()).map((row) => this.#hostOf(row))
  }

  /** Finds a host by name; undefined for an unknown one. */
  async find(name: string, query: Query | Tx = this.#deps.db.query): Promise<KnownHost | undefined> {
    const row = await this.#rows(query).where('name', '=', name).executeTakeFirst()
    return row && this.#hostOf(row)
  }

  /** Returns the reason why the host of an intern is lost; null if it is available, or the intern has no host yet. */
  async findLoss(hostname: string | null, query: Query | Tx = this.#deps.db.query): Promise<KnownHost['loss']> {
    if (hostname === null || hostname === this.thisHost) return null
    return ((await this.find(hostname, query)) ?? createUnknownHost(hostname)).loss
  }

  /** Whether an intern belongs to the host of this server. An intern without a host can be started on any host. */
  isOnThisHost(hostname: string | null): boolean {
    return this.thisHost !== undefined && (hostname ?? this.thisHost) === this.thisHost
  }

  /** Returns a function for the status of each of these hosts. Runs no query if all are this server's host. */
  async readStates(names: (string | null)[]): Promise<(name: string | null) => InternHost | null> {
    const isRemote = names.some((name) => name !== null && name !== this.thisHost)
    const hosts = new Map((isRemote ? await this.list() : []).map((host) => [host.name, host]))
    return (name) => {
      if (name === null) return null
      return toInternHost(name === this.thisHost ? { name, loss: null } : (hosts.get(name) ?? createUnknownHost(name)))
    }
  }

  async readState(name: string | null): Promise<InternHost | null> {
    return (await this.readStates([name]))(name)
  }

  #rows(query: Query | Tx) {
    return query.selectFrom('intern_hosts').selectAll().select(this.#deps.clock.nowSql().as('now'))
  }

  #hostOf(row: HostRow): KnownHost {
    const { name, address, labels, capacity, kept_port: storagePort } = row
    const loss = name === this.thisHost ? null : findLossInRow(row)
    return { name, address, labels: JSON.parse(labels) as string[], capacity, storagePort, loss }
  }
}

/** The status of a host, in the form of the API. */
export function toInternHost({ name, loss }: Pick<KnownHost, 'name' | 'loss'>): InternHost {
  if (!loss) return { name, state: 'up', reason: null, since: null }
  return { name, state: 'gone', reason: loss.reason, since: loss.since === 0 ? null : isoTime(loss.since) }
}

function findLossInRow({ name, seen_at, left_at, now }: HostRow): KnownHost['loss'] {
  if (left_at !== null && now - left_at > successorTimeoutMs)
    return { reason: `The server of the host ${name} was stopped.`, since: left_at }
  if (now - seen_at <= lostAfterMs) return null
  return { reason: `The host ${name} does not respond.`, since: seen_at }
}

/** A host without a row: from an old version, or of another installation. */
export function createUnknownHost(name: string): Pick<KnownHost, 'name' | 'address' | 'storagePort' | 'loss'> {
  return {
    name,
    address: null,
    storagePort: null,
    loss: { reason: `The host ${name} is unknown.`, since: 0 },
  }
}

/** Formats for messages why and since when a host is lost. */
export function describeLoss({ reason, since }: NonNullable<KnownHost['loss']>): string {
  return since === 0 ? reason : `${reason.replace(/\.$/, '')} (since ${isoTime(since)}).`
}
