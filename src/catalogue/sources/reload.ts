import { readOrganizationIds } from '#identity/accounts/organizations.ts'
import { type Actor, recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import type { CatalogueHolder } from './catalogue-holder.ts'
import type { LoadReport } from './layer.ts'

/** The actor in the audit log for a reload by a signal. */
const operator = { userId: 'operator', keyHash: null }

/**
 * Reloads the sources on this server, writes an audit entry, and notifies the other servers to reload. Without a caller
 * (a signal of the operator), every organization gets the audit entry, because they share the catalogue.
 */
export async function reloadCatalogue(
  deps: {
    db: Db
    now: Now
    newId: NewId
    catalogue: Pick<CatalogueHolder, 'report' | 'reload' | 'notificationSenderId'>
  },
  caller?: Actor,
): Promise<LoadReport> {
  const previousCounts = toCounts(deps.catalogue.report())
  const report = await deps.catalogue.reload()
  const change = {
    action: 'catalogue.reloaded',
    targetKind: 'catalogue',
    targetId: 'catalogue',
    before: previousCounts,
    after: toCounts(report),
  } as const
  await deps.db.exclusively('catalogue', async (tx, publish) => {
    const actors = caller
      ? [caller]
      : (await readOrganizationIds(tx)).map((organizationId) => ({ organizationId, ...operator }))
    for (const actor of actors) await recordChange(deps, tx, actor, change)
    publish('catalogue.changed', deps.catalogue.notificationSenderId)
  })
  return report
}

function toCounts({ skipped, ...counts }: LoadReport): object {
  return { ...counts, skipped: skipped.length }
}
