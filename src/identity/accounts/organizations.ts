import { isoTime, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { recordChange } from '../audit/audit.ts'
import { accountsLock } from './accounts-lock.ts'
import type { Caller } from './caller.ts'

type OrganizationRecord = { id: string; name: string; interns_programme: boolean; created_at: string }

/** The fields of an organization that can be changed. Omitted fields are not changed. */
type OrganizationPatch = { interns_programme?: boolean | undefined }

/**
 * Returns the organization of people whom an issuer authenticated. The first start creates it, and nothing creates others; if an
 * operator added some to the database, it is the oldest.
 */
export async function findOrganizationId(query: Query): Promise<string> {
  const { id } = await query.selectFrom('organizations').orderBy('created_at').select('id').executeTakeFirstOrThrow()
  return id
}

/** The ids of all organizations. */
export async function readOrganizationIds(tx: Tx): Promise<string[]> {
  const rows = await tx.selectFrom('organizations').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export async function getOrganization(deps: { db: { query: Query } }, id: string): Promise<OrganizationRecord> {
  const row = await deps.db.query.selectFrom('organizations').where('id', '=', id).selectAll().executeTakeFirstOrThrow()
  return {
    id: row.id,
    name: row.name,
    interns_programme: row.interns_programme === 1,
    created_at: isoTime(row.created_at),
  }
}

/** Changes an organization. It applies to its keys on all servers within a second. */
export async function changeOrganization(
  deps: { db: Db; now: Now; newId: NewId },
  caller: Caller,
  { interns_programme: isInProgramme }: OrganizationPatch,
): Promise<OrganizationRecord> {
  const { organizationId: id } = caller
  return deps.db.exclusively(accountsLock(id), async (tx, publish) => {
    const previousOrganization = await getOrganization({ db: { query: tx } }, id)
    if (isInProgramme === undefined || isInProgramme === previousOrganization.interns_programme)
      return previousOrganization
    await tx
      .updateTable('organizations')
      .set({ interns_programme: Number(isInProgramme) })
      .where('id', '=', id)
      .execute()
    const updatedOrganization = await getOrganization({ db: { query: tx } }, id)
    await recordChange(deps, tx, caller, {
      action: 'organization.updated',
      targetKind: 'organization',
      targetId: id,
      before: previousOrganization,
      after: updatedOrganization,
    })
    publish('organization.changed', id)
    return updatedOrganization
  })
}
