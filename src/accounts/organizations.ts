import type { Tx } from '#db/db.ts'

/** The ids of all organizations. */
export async function organizationIds(tx: Tx): Promise<string[]> {
  const rows = await tx.selectFrom('organizations').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}
