import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import type { AssignmentRow } from './assignment-rows.ts'

const commonFields = {
  id: z.uuid(),
  guardrail_id: z.uuid(),
  assigned_by: z.string().describe('The user who assigned it.'),
  created_at: z.iso.datetime(),
}

export const KeyAssignment = z
  .object({ ...commonFields, key_hash: z.string(), key_name: z.string(), key_label: z.string() })
  .meta({
    id: 'KeyAssignment',
    description: 'The assignment of a guardrail to a key. A key has at most one guardrail.',
  })
export type KeyAssignment = z.infer<typeof KeyAssignment>

export const MemberAssignment = z.object({ ...commonFields, organization_id: z.string(), user_id: z.string() }).meta({
  id: 'MemberAssignment',
  description: 'The assignment of a guardrail to a member. A member has at most one guardrail in each workspace.',
})
export type MemberAssignment = z.infer<typeof MemberAssignment>

/** The most targets that one request can assign or remove. */
const maxTargets = 500

export const KeyTargets = strictFields({
  key_hashes: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'must be the hash of a key: 64 lowercase hexadecimal digits'))
    .min(1)
    .max(maxTargets),
}).meta({ id: 'KeyTargets' })

export const MemberTargets = strictFields({
  member_user_ids: z
    .array(text({ min: 1, max: 200 }))
    .min(1)
    .max(maxTargets)
    .describe('IDs or email addresses of members.'),
}).meta({ id: 'MemberTargets' })

export function toKeyAssignment(row: AssignmentRow): KeyAssignment {
  return {
    id: row.id,
    guardrail_id: row.guardrail_id,
    key_hash: row.target_id,
    key_name: row.key_name ?? '',
    key_label: row.key_label ?? '',
    assigned_by: row.assigned_by,
    created_at: isoTime(row.created_at),
  }
}

export function toMemberAssignment(organizationId: string, row: AssignmentRow): MemberAssignment {
  return {
    id: row.id,
    guardrail_id: row.guardrail_id,
    organization_id: organizationId,
    user_id: row.target_id,
    assigned_by: row.assigned_by,
    created_at: isoTime(row.created_at),
  }
}
