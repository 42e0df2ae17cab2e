import type { Caller } from '#accounts/caller.ts'
import { recordChange } from '#audit/audit.ts'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { CatalogueHolder } from './holder.ts'
import type { LoadReport } from './load.ts'

/** Reads the sources again on this server, writes that down, and tells the other servers to do the same. */
export async function reloadCatalogue(
  deps: { db: Db; now: Now; newId: NewId; catalogue: CatalogueHolder },
  caller: Pick<Caller, 'organizationId' | 'userId' | 'keyHash'>,
): Promise<LoadReport> {
  const before = deps.catalogue.report()
  const after = await deps.catalogue.reload()
  await deps.db.exclusively('catalogue', async (tx, announce) => {
    await recordChange(deps, tx, caller, {
      action: 'catalogue.reloaded',
      targetKind: 'catalogue',
      targetId: 'catalogue',
      before: countsOf(before),
      after: countsOf(after),
    })
    announce('catalogue.changed', deps.catalogue.origin)
  })
  return after
}

function countsOf({ skipped, ...counts }: LoadReport): object {
  return { ...counts, skipped: skipped.length }
}
