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
  previousMember: Member | null,
  updatedMember: Member,
): Promise<void> {
  await recordChange(deps, tx, caller, {
    action,
    targetKind: 'member',
    targetId: updatedMember.userId,
    before: previousMember && auditedMember(previousMember),
    after: auditedMember(updatedMember),
  })
}

function auditedMember({ name, email, role, leftAt }: Member) {
  return { name, email, role, left_at: leftAt === null ? null : isoTime(leftAt) }
}
