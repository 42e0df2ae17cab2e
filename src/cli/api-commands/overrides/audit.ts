import { formatSecond } from '../../kit/format.ts'
import { columns } from '../api-command.ts'

type AuditEvent = {
  at: string
  actor: { user_id: string; user_email: string | null; key_hash: string | null; key_name: string | null }
  action: string
  target: { kind: string; id: string }
  before: { [name: string]: unknown } | null
  after: { [name: string]: unknown } | null
}

export const auditColumns = columns<AuditEvent>({
  'TIME (UTC)': ({ at }) => formatSecond(at),
  MEMBER: ({ actor }) => actor.user_email ?? actor.user_id,
  KEY: ({ actor }) => actor.key_name ?? actor.key_hash?.slice(0, 12) ?? '-',
  ACTION: ({ action }) => action,
  TARGET: ({ target }) => target.id,
  DETAILS: detailsOf,
})

/** The answer and the question for an answered question; the names of the changed fields for a change. */
function detailsOf({ action, before, after }: AuditEvent): string {
  if (action.startsWith('intern.answer'))
    return [after?.answer, after?.operation ?? after?.kind, after?.detail ?? after?.message].filter(Boolean).join(': ')
  if (!before || !after) return String((after ?? before)?.name ?? '')
  const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return changed.filter((name) => name !== 'updated_at').join(', ')
}
