import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import type { PersistentSubject } from './budget.ts'

/** The percentages of a limit at which webhooks are notified. */
export const defaultThresholds: readonly number[] = [50, 80, 100]

const maxThresholds = 20

export const Thresholds = z
  .array(z.int().min(1).max(100))
  .max(maxThresholds)
  .describe(
    'The percentages of the limit at which webhooks are notified, once per period. With an empty list, webhooks are not notified. Defaults to 50, 80 and 100.',
  )

export const ThresholdsBody = strictFields({
  thresholds: Thresholds.nullable().describe('Percentages of the limit, 1 to 100; null for the default.'),
}).meta({ id: 'ThresholdsBody' })

/** The owner of thresholds that the API sets apart from the limit: a key, whose id is its hash, or a guardrail. */
type ThresholdOwner = { kind: 'key' | 'guardrail'; id: string }

/** Returns the thresholds of an owner, or the default. @param owner the text in the column `owner`, such as `key:<hash>`. */
export const thresholdsOrDefault = (storedThresholds: ReadonlyMap<string, number[]>, owner: string): number[] =>
  storedThresholds.get(owner) ?? [...defaultThresholds]

/** Returns the text in the column `owner` of `budget_thresholds`. All accounts of a guardrail have the same thresholds. */
export function thresholdOwner(subject: PersistentSubject): string {
  if (subject.kind === 'key') return toOwnerText({ kind: 'key', id: subject.hash })
  if (subject.kind === 'pool') return `pool:${subject.account}`
  return toOwnerText({ kind: 'guardrail', id: subject.guardrailId })
}

const toOwnerText = ({ kind, id }: ThresholdOwner) => `${kind}:${id}`

/** Reads the thresholds of each owner that does not have the default. */
export async function readThresholds(query: Query | Tx, owners: readonly string[]): Promise<Map<string, number[]>> {
  if (owners.length === 0) return new Map()
  const rows = await query
    .selectFrom('budget_thresholds')
    .where('owner', 'in', owners)
    .select(['owner', 'percents'])
    .execute()
  return new Map(rows.map(({ owner, percents }) => [owner, JSON.parse(percents) as number[]]))
}

type WriteDeps = { db: Db; now: Now; newId: NewId }

/** Reads the thresholds of a key or guardrail, or the default. */
export async function readThresholdsOf(query: Query, owner: ThresholdOwner): Promise<number[]> {
  const ownerText = toOwnerText(owner)
  return thresholdsOrDefault(await readThresholds(query, [ownerText]), ownerText)
}

/** Sets the thresholds of a key or guardrail, with an audit record. `null` restores the default. @returns the new ones. */
export async function setThresholds(
  deps: WriteDeps,
  caller: Caller,
  owner: ThresholdOwner,
  thresholds: readonly number[] | null,
): Promise<number[]> {
  const { kind, id } = owner
  const ownerText = toOwnerText(owner)
  return deps.db.exclusively(`thresholds ${ownerText}`, async (tx) => {
    const before = thresholdsOrDefault(await readThresholds(tx, [ownerText]), ownerText)
    const after = await writeThresholds(tx, caller, ownerText, thresholds, deps.now())
    await recordChange(deps, tx, caller, {
      action: `${kind}.updated`,
      targetKind: kind,
      targetId: id,
      before: { thresholds: before },
      after: { thresholds: after },
    })
    return after
  })
}

/** Stores thresholds in ascending order. `null` restores the default. */
export async function writeThresholds(
  tx: Tx,
  { organizationId }: Pick<Caller, 'organizationId'>,
  owner: string,
  thresholds: readonly number[] | null,
  at: number,
): Promise<number[]> {
  if (thresholds === null) {
    await tx.deleteFrom('budget_thresholds').where('owner', '=', owner).execute()
    return [...defaultThresholds]
  }
  const sorted = [...new Set(thresholds)].toSorted((a, b) => a - b)
  const row = { owner, organization_id: organizationId, percents: JSON.stringify(sorted), updated_at: at }
  await upsert(tx, 'budget_thresholds', [row], { key: ['owner'] }).execute()
  return sorted
}
