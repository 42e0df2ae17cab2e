import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { KeyRecord } from './key.ts'
import { enabledManagementKeys } from './key-rows.ts'

/**
 * Refuses to disable or shorten the management key that is valid longest: the only one that never expires, or, if all
 * expire, the one that expires last.
 * @param until the new expiry time of the key, in milliseconds; defaults to now.
 * @throws Fault `conflict` if no other key is valid as long as `key`.
 */
export async function keepOneManagementKey(
  deps: { now: Now },
  tx: Tx,
  key: KeyRecord,
  organizationId: string,
  until = 0,
): Promise<void> {
  const end = endOf(key)
  const works = key.kind === 'management' && !key.disabled && end > deps.now()
  if (!works || until >= end) return
  const others = (await enabledManagementKeys(tx, organizationId)).filter(({ hash }) => hash !== key.hash)
  const ends = others.map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY).filter((one) => one > deps.now())
  if (ends.some((one) => one >= end)) return
  throw new Fault('conflict', ends.length === 0 ? onlyOne : lastUntil(end))
}

const endOf = ({ expires_at }: KeyRecord) => (expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at))

const onlyOne =
  'This is the last valid management key: without it, nobody could manage the organization. Create another one first.'

function lastUntil(end: number): string {
  const [which, wanted] =
    end === Number.POSITIVE_INFINITY
      ? ['without an expiry', 'that does not expire']
      : [`until ${isoTime(end)}`, 'that is valid as long']
  return `This is the last management key that is valid ${which}: nobody could manage the organization after the others have expired. Create another one ${wanted} first.`
}
