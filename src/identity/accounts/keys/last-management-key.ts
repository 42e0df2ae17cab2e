import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { KeyRecord } from './key.ts'
import { findEnabledManagementKeys } from './key-rows.ts'

/**
 * Requires another management key that is valid at least as long as `key`, before `key` is disabled or expires earlier.
 * So an organization never loses its longest-valid management key.
 * @param until the new expiry time of the key, in milliseconds since the epoch; 0 if the key ends now.
 * @throws Fault `conflict` if no other key is valid as long as `key`.
 */
export async function requireOtherManagementKey(
  deps: { now: Now },
  tx: Tx,
  key: KeyRecord,
  organizationId: string,
  until = 0,
): Promise<void> {
  const end = expiryTime(key)
  const isValid = key.kind === 'management' && !key.disabled && end > deps.now()
  if (!isValid || until >= end) return
  const others = (await findEnabledManagementKeys(tx, organizationId)).filter(({ hash }) => hash !== key.hash)
  const ends = others
    .map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY)
    .filter((otherEnd) => otherEnd > deps.now())
  if (ends.some((otherEnd) => otherEnd >= end)) return
  throw new Fault('conflict', ends.length === 0 ? lastKeyMessage : longestValidMessage(end))
}

const expiryTime = ({ expires_at }: KeyRecord) =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)

const lastKeyMessage =
  'This is the last valid management key: without it, nobody could manage the organization. Create another one first.'

function longestValidMessage(end: number): string {
  const isUnlimited = end === Number.POSITIVE_INFINITY
  const validity = isUnlimited ? 'without an expiry' : `until ${isoTime(end)}`
  const requirement = isUnlimited ? 'that does not expire' : 'that is valid as long'
  return `This is the last management key that is valid ${validity}: nobody could manage the organization after the others have expired. Create another one ${requirement} first.`
}
