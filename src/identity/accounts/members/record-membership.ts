import { isoTime, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Tx } from '#platform/db/db.ts'
import { type Actor, recordChange } from '../../audit/audit.ts'
import type { Member } from './member.ts'

/** Writes the audit record of a membership change. */
export async function recordMembership(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  caller: Actor,
  action: 'member.joined' | 'member.rejoined' | 'member.updated' | 'member.left',
  before: Member | null,
  after: Member,
): Promise<void> {
  await recordChange(deps, tx, caller, {
    action,
    targetKind: 'member',
    targetId: after.userId,
    before: before && auditedMember(before),
    after: auditedMember(after),
  })
}

function auditedMember({ name, email, role, leftAt }: Member) {
  return { name, email, role, left_at: leftAt === null ? null : isoTime(leftAt) }
}
