import type { Command } from 'commander'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { wholeNumber } from '../kit/whole-number.ts'

type Event = {
  at: string
  actor: { user_id: string; user_email: string | null; key_hash: string | null; key_name: string | null }
  action: string
  target: { kind: string; id: string }
  before: { [name: string]: unknown } | null
  after: { [name: string]: unknown } | null
}

type Options = { action?: string; kind?: string; target?: string; from?: string; limit: number; json?: boolean }

export function auditCommand(program: Command, { env, out }: Terminal): void {
  program
    .command('audit')
    .description('Show the audit log, newest first: changes, and answers to questions of interns')
    .option('--action <name>', 'Filter by action, such as "key.updated" or "intern.answered"')
    .option('--kind <kind>', 'Filter by kind of target, such as "intern"')
    .option('--target <id>', 'Filter by ID of the target')
    .option('--from <instant>', 'Only entries from this time on, such as 2030-01-31T00:00:00Z')
    .option('--limit <count>', 'Maximum number of entries, 1 to 100', wholeNumber(1), 50)
    .option('--json', 'Print all fields as JSON')
    .addHelpText('after', clientHelp)
    .action(async ({ action, kind, target, from, limit, json }: Options) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(action && { action }),
        ...(kind && { target_kind: kind }),
        ...(target && { target_id: target }),
        ...(from && { from }),
      })
      const { data } = await apiClient(env).request<{ data: Event[] }>('GET', `/audit?${query}`)
      out(json ? JSON.stringify(data, null, 2) : auditTable(data))
    })
}

function auditTable(events: Event[]): string {
  const rows = events.map((event) => [
    event.at.slice(0, 19).replace('T', ' '),
    event.actor.user_email ?? event.actor.user_id,
    event.actor.key_name ?? event.actor.key_hash?.slice(0, 12) ?? '-',
    event.action,
    event.target.id,
    detailsOf(event),
  ])
  return table(['TIME (UTC)', 'MEMBER', 'KEY', 'ACTION', 'TARGET', 'DETAILS'], rows)
}

/** The answer and the question for an answered question; the names of the changed fields for a change. */
function detailsOf({ action, before, after }: Event): string {
  if (action.startsWith('intern.answer'))
    return [after?.answer, after?.operation ?? after?.kind, after?.detail ?? after?.message].filter(Boolean).join(': ')
  if (!before || !after) return String((after ?? before)?.name ?? '')
  const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return changed.filter((name) => name !== 'updated_at').join(', ')
}
