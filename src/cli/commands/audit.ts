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
    .description('tell who changed what, and who allowed interns what, the newest first')
    .option('--action <name>', 'only these, such as "key.updated" or "intern.answered"')
    .option('--kind <kind>', 'only what was done to these, such as "intern"')
    .option('--target <id>', 'only what was done to this one')
    .option('--from <instant>', 'only from then on, such as 2030-01-31T00:00:00Z')
    .option('--limit <count>', 'how many, 1 to 100', wholeNumber(1), 50)
    .option('--json', 'print them as JSON, whole')
    .addHelpText('after', clientHelp)
    .action(async ({ action, kind, target, from, limit, json }: Options) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(action && { action }),
        ...(kind && { target_kind: kind }),
        ...(target && { target_id: target }),
        ...(from && { from }),
      })
      const { data } = await apiClient(env).ask<{ data: Event[] }>('GET', `/audit?${query}`)
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
    whatOf(event),
  ])
  return table(['WHEN (UTC)', 'MEMBER', 'KEY', 'ACTION', 'TARGET', 'WHAT'], rows)
}

/** An answer with what it was given to; of a change the names of what is other than before. */
function whatOf({ action, before, after }: Event): string {
  if (action.startsWith('intern.answer'))
    return [after?.answer, after?.operation ?? after?.kind, after?.detail ?? after?.message].filter(Boolean).join(': ')
  if (!before || !after) return String((after ?? before)?.name ?? '')
  const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return changed.filter((name) => name !== 'updated_at').join(', ')
}
