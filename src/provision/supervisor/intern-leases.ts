import type { ExpressionBuilder, Selectable } from 'kysely'
import type { InternStatus, Progress } from '#interns/registry/intern.ts'
import { internChangedEvent } from '#interns/registry/intern-events.ts'
import { revokeInternKey } from '#interns/registry/intern-key.ts'
import { findInternById, type Intern, toIntern } from '#interns/registry/intern-store.ts'
import { endRuns, runEndForStatus } from '#interns/runs/end-runs.ts'
import { endQuestions } from '#interns/runs/questions.ts'
import { internFailedEvent } from '#interns/runs/webhook-events.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import { queueEvent } from '#webhooks/outbox.ts'
import type { DaemonLocation } from './provisioner.ts'

/** A lease ends if it is not renewed for this time. */
const leaseMs = 5000

/** An intern, and the lease on it: the server that supervises it, if one does. */
export type LeasedIntern = { intern: Intern; supervisor: string | null; isExpired: boolean }

/** `host` is undefined on a server without interns, which sees only those without a host. */
type InternLeasesDeps = { db: Db; now: Now; server: string; host: string | undefined }
type InternLeasesRow = Selectable<Tables['interns']>

/** The next state of an intern. `release` gives up the lease, because there is nothing left to supervise. */
type Transition = {
  status: InternStatus
  failure?: string | null
  release?: boolean
  /** The encrypted access for other hosts of an intern that was started; null without access. */
  tcpAccess?: string | null
  /** When it fell asleep; null while it runs. */
  asleepSince?: number | null
}

/**
 * The leases of interns in the database, and the transitions that only their holder makes. One server at a time
 * supervises an intern, and only one on the intern's own host can. An intern at rest has no supervisor.
 */
export class InternLeases {
  readonly #deps: InternLeasesDeps

  constructor(deps: InternLeasesDeps) {
    this.#deps = deps
  }

  /** Selects the interns of this host, and those that have no host yet. */
  #selectOnThisHost() {
    const { db, host } = this.#deps
    const hosts = (e: ExpressionBuilder<Tables, 'interns'>) => [
      e('hostname', 'is', null),
      ...(host === undefined ? [] : [e('hostname', '=', host)]),
    ]
    return db.query.selectFrom('interns').where((e) => e.or(hosts(e)))
  }

  #toLeasedIntern(row: InternLeasesRow): LeasedIntern {
    return { intern: toIntern(row), supervisor: row.supervisor, isExpired: row.supervised_until < this.#deps.now() }
  }

  async find(id: string): Promise<LeasedIntern | undefined> {
    const row = await this.#selectOnThisHost().where('id', '=', id).selectAll().executeTakeFirst()
    return row && this.#toLeasedIntern(row)
  }

  /** The interns of this host that have or need a supervisor. */
  async findInUse(): Promise<LeasedIntern[]> {
    const rows = await this.#selectOnThisHost()
      .where((e) =>
        e.or([
          e('supervisor', 'is not', null),
          e('status', 'in', ['queued', 'provisioning', 'destroying']),
          e.and([e('status', '=', 'running'), e('asleep_since', 'is', null)]),
        ]),
      )
      .selectAll()
      .execute()
    return rows.map((row) => this.#toLeasedIntern(row))
  }

  /** The ids of all interns of this host. */
  async findIds(): Promise<Set<string>> {
    return new Set((await this.#selectOnThisHost().select('id').execute()).map(({ id }) => id))
  }

  /** Renews the leases of this server. */
  async renew(): Promise<void> {
    const { db, now, server } = this.#deps
    const columns = { supervised_until: now() + leaseMs }
    await db.query.updateTable('interns').set(columns).where('supervisor', '=', server).execute()
  }

  /** Ends the leases of a server immediately; without `holder` all leases, for the embedded database, which has one server. */
  async expire(holder: string | undefined): Promise<void> {
    const expiry = this.#deps.db.query.updateTable('interns').set({ supervised_until: 0 })
    await (holder === undefined ? expiry : expiry.where('supervisor', '=', holder)).execute()
  }

  /**
   * Takes the lease on an intern that still has this status and no other holder, and stores its location.
   * @returns whether this server holds the lease now.
   */
  async claim({ id, status }: Intern, location: DaemonLocation): Promise<boolean> {
    const { db, now, server } = this.#deps
    const { numUpdatedRows } = await db.query
      .updateTable('interns')
      .set({ supervisor: server, supervised_until: now() + leaseMs, ...location })
      .where('id', '=', id)
      .where('status', '=', status)
      .where((e) =>
        e.or([
          e('supervisor', 'is', null),
          e('supervisor', '=', server),
          // Another holder whose lease has not expired can still be ending processes, which must not overlap with the new start.
          e('supervised_until', '<', now()),
        ]),
      )
      .executeTakeFirst()
    return numUpdatedRows > 0
  }

  /**
   * Changes the status of an intern, with all that depends on it: its runs, notifications and webhook events.
   * @returns whether the intern had the status `from`, and this server holds its lease. Otherwise nothing was changed.
   */
  transition(
    id: string,
    from: InternStatus,
    { status, failure, release, tcpAccess, asleepSince }: Transition,
  ): Promise<boolean> {
    const { db, now, server } = this.#deps
    return db.exclusively(`intern:${id}`, async (tx, publish) => {
      const { numUpdatedRows } = await tx
        .updateTable('interns')
        .set({
          status,
          progress: null,
          updated_at: now(),
          last_failure_message: failure,
          // The intern has started on its host, which therefore has its files: the move is complete.
          ...(tcpAccess !== undefined && { tcp_access: tcpAccess, moved_at: null }),
          asleep_since: asleepSince,
          ...(release && { supervisor: null, supervised_until: 0 }),
        })
        .where('id', '=', id)
        .where('status', '=', from)
        .where('supervisor', '=', server)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      if (status !== 'running') await endRuns(tx, publish, id, { ...runEndForStatus(status, failure), endedAt: now() })
      const intern = await findInternById(tx, id)
      publish('intern.changed', id, intern && internChangedEvent(intern, now()))
      if (intern && status === 'failed') await queueEvent(tx, publish, internFailedEvent(intern, now()))
      return true
    })
  }

  async setProgress(id: string, progress: Progress): Promise<void> {
    const { db, server } = this.#deps
    await db.query
      .updateTable('interns')
      .set({ progress: JSON.stringify(progress) })
      .where('id', '=', id)
      .where('status', '=', 'provisioning')
      .where('supervisor', '=', server)
      .execute()
  }

  /** Deletes an intern in the state `destroying` from the database, with its key. */
  async remove({ id }: Intern): Promise<void> {
    const { db, now } = this.#deps
    await db.exclusively(`intern:${id}`, async (tx, publish) => {
      const row = await tx.selectFrom('interns').where('id', '=', id).selectAll().executeTakeFirst()
      if (row?.status !== 'destroying') return
      const intern = toIntern(row)
      await revokeInternKey(tx, publish, intern)
      await endQuestions(tx, publish, id, { now, end: { state: 'ended' } })
      await tx.deleteFrom('intern_creations').where('intern_id', '=', id).execute()
      await tx.deleteFrom('interns').where('id', '=', id).execute()
      publish('intern.changed', id, internChangedEvent(intern, now(), 'deleted'))
    })
  }
}
