import type { Selectable } from 'kysely'
import type { Db } from '#db/db.ts'
import type { Tables } from '#db/tables.ts'
import type { InternStatus, Progress } from '#interns/intern.ts'
import { takeKey } from '#interns/own-key.ts'
import { type Intern, internOf } from '#interns/store.ts'
import type { Now } from '#lib/clock.ts'
import type { Place } from './provisioner.ts'

/** How long a server's word that it looks after an intern holds without being renewed. */
export const leaseMs = 5000

export type Looked = { intern: Intern; supervisor: string | null; lapsed: boolean }

type Deps = { db: Db; now: Now; server: string; host: string }
type Row = Selectable<Tables['interns']>

/** What an intern becomes; `release` says that there is nothing to look after any more. */
export type Change = { status: InternStatus; place?: Place; failure?: string | null; release?: boolean }

/**
 * The database's part of looking after interns: who does it, and what became of them. One server at a time holds an
 * intern, by a lease; only one on the intern's own host can. An intern that nobody needs to look after has no supervisor.
 */
export function supervision(deps: Deps) {
  const { db, now, server, host } = deps
  const looked = (row: Row): Looked => ({
    intern: internOf(row),
    supervisor: row.supervisor,
    lapsed: row.supervised_until < now(),
  })
  const here = () =>
    db.query.selectFrom('interns').where((e) => e.or([e('hostname', 'is', null), e('hostname', '=', host)]))

  return {
    async look(id: string): Promise<Looked | undefined> {
      const row = await here().where('id', '=', id).selectAll().executeTakeFirst()
      return row && looked(row)
    },

    /** The interns here that somebody has to do something about, or that somebody looks after. */
    async open(): Promise<Looked[]> {
      const rows = await here()
        .where((e) =>
          e.or([
            e('supervisor', 'is not', null),
            e('status', 'in', ['queued', 'provisioning', 'running', 'destroying']),
          ]),
        )
        .selectAll()
        .execute()
      return rows.map(looked)
    },

    renew: () =>
      db.query
        .updateTable('interns')
        .set({ supervised_until: now() + leaseMs })
        .where('supervisor', '=', server)
        .execute(),

    /** Lets others take over what a server held, at once. On the embedded database there can be no other server. */
    lapse: async (holder: string | undefined) => {
      const held = db.query.updateTable('interns').set({ supervised_until: 0 })
      await (holder === undefined ? held : held.where('supervisor', '=', holder)).execute()
    },

    /** @returns whether this server now holds the intern, which was still in that state and free to be taken. */
    async claim({ id, status }: Intern, place: Place): Promise<boolean> {
      const { numUpdatedRows } = await db.query
        .updateTable('interns')
        .set({ supervisor: server, supervised_until: now() + leaseMs, ...place })
        .where('id', '=', id)
        .where('status', '=', status)
        .where((e) =>
          e.or([
            e('supervisor', 'is', null),
            e('supervisor', '=', server),
            e('supervised_until', '<', now()),
            // What is asked for anew does not depend on who looked after it before.
            e('status', '=', 'queued'),
          ]),
        )
        .executeTakeFirst()
      return numUpdatedRows > 0
    },

    /** @returns whether the intern was in the state `from`, and held by this server. */
    become(id: string, from: InternStatus, change: Change): Promise<boolean> {
      return db.exclusively(`intern:${id}`, async (tx, announce) => {
        const { numUpdatedRows } = await tx
          .updateTable('interns')
          .set({
            status: change.status,
            progress: null,
            updated_at: now(),
            ...(change.failure !== undefined && { last_failure_message: change.failure }),
            ...(change.release && { supervisor: null, supervised_until: 0 }),
          })
          .where('id', '=', id)
          .where('status', '=', from)
          .where('supervisor', '=', server)
          .executeTakeFirst()
        if (numUpdatedRows > 0) announce('intern.changed', id)
        return numUpdatedRows > 0
      })
    },

    tell: (id: string, progress: Progress) =>
      db.query
        .updateTable('interns')
        .set({ progress: JSON.stringify(progress) })
        .where('id', '=', id)
        .where('status', '=', 'provisioning')
        .where('supervisor', '=', server)
        .execute(),

    /** The intern was never there. */
    forget: ({ id }: Intern) =>
      db.exclusively(`intern:${id}`, async (tx, announce) => {
        const row = await tx.selectFrom('interns').where('id', '=', id).selectAll().executeTakeFirst()
        if (row?.status !== 'destroying') return
        await takeKey(tx, announce, internOf(row))
        await tx.deleteFrom('intern_creations').where('intern_id', '=', id).execute()
        await tx.deleteFrom('interns').where('id', '=', id).execute()
        announce('intern.changed', id)
      }),
  }
}
export type Supervision = ReturnType<typeof supervision>
