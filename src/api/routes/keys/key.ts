import { readUserNames } from '#identity/accounts/account-names.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { KeyRecord } from '#identity/accounts/keys/key.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { KeyUsage, readKeyUsage } from '#spend/budgets/key-usage.ts'

const Creator = z.object({
  creator_name: z.string().nullable().describe('The name of the member for whom the key acts.'),
  creator_email: z.string().nullable(),
})

export const Key = KeyRecord.extend(Creator.shape).extend(KeyUsage.shape).meta({
  id: 'Key',
  description: 'A key and its spend. The secret is returned only once, when the key is created.',
})

export const KeyParams = z.object({ hash: z.string().describe('The hash of the key.') })

type KeyResponseDeps = { db: Db; now: Now }

type KeyScope = Pick<Caller, 'organizationId'>

/** Adds to keys what they have spent, and the name of the member for whom each acts. */
export async function toKeyResponses(
  deps: KeyResponseDeps,
  scope: KeyScope,
  records: KeyRecord[],
): Promise<z.infer<typeof Key>[]> {
  const toResponse = await prepareKeyResponses(deps, scope, records)
  return records.map(toResponse)
}

export async function toKeyResponse(
  deps: KeyResponseDeps,
  caller: KeyScope,
  record: KeyRecord,
): Promise<z.infer<typeof Key>> {
  const toResponse = await prepareKeyResponses(deps, caller, [record])
  return toResponse(record)
}

/** Reads what the responses for keys need. @returns a function that gives the response for one of these keys. */
async function prepareKeyResponses(
  deps: KeyResponseDeps,
  { organizationId }: KeyScope,
  records: KeyRecord[],
): Promise<(record: KeyRecord) => z.infer<typeof Key>> {
  const creators = records.flatMap(({ creator_user_id }) => creator_user_id ?? [])
  const [usageOf, names] = await Promise.all([
    readKeyUsage(deps, records),
    readUserNames(deps.db, organizationId, creators),
  ])
  return (record) => {
    const creator = names.get(record.creator_user_id ?? '')
    const creatorFields = { creator_name: creator?.name ?? null, creator_email: creator?.email ?? null }
    return { ...record, ...creatorFields, ...usageOf(record) }
  }
}
