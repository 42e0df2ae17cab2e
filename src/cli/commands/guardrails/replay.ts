import type { Command } from 'commander'
import type { Replay } from '#policy/replay/replay-response.ts'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { findGuardrailId, guardrailHelp } from '../../kit/find.ts'
import { minute, usd } from '../../kit/format.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { readPolicyInput } from './rules.ts'

type Options = { from?: string; to?: string; file?: string; json?: boolean }

export function replayCommand(guardrails: Command, { env, out }: Terminal): void {
  guardrails
    .command('replay')
    .description('Show what a guardrail would have refused or redacted in past requests, without changing anything')
    .argument('<guardrail>', guardrailHelp)
    .argument('[rules...]', 'Rules to change for the replay, such as limit_usd=50')
    .option('--file <path>', 'Read rules from a JSON file')
    .option('--from <instant>', 'Start time, such as 2030-01-31T00:00:00Z (default: 7 days ago)')
    .option('--to <instant>', 'End time (default: now)')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async (guardrail: string, args: string[], { from, to, file, json }: Options) => {
      const policy = args.length > 0 || file !== undefined ? readPolicyInput(args, file) : undefined
      const client = createApiClient(env)
      const path = `/guardrails/${await findGuardrailId(client, guardrail)}/replay`
      const body = { ...(from && { from }), ...(to && { to }), ...(policy && { policy }) }
      const { data } = await client.request<{ data: Replay }>('POST', path, body)
      out(json ? JSON.stringify(data, null, 2) : replayText(data))
    })
}

function replayText(replay: Replay): string {
  const { requests, usd: cost, would_refuse: refuse, would_reroute: reroute, would_redact: redact } = replay
  const rules = replay.by_rule.map((row) => [row.rule, row.outcome, String(row.requests), row.usd.toFixed(6)])
  const unknown = replay.undecidable.map(({ rule, requests: count, why }) => [rule, String(count), why])
  const parts = [
    `${minute(replay.from)} to ${minute(replay.to)}: ${requests} requests for ${usd(cost)}.`,
    `The guardrail would refuse ${refuse}, send ${reroute} to another endpoint, and redact ${redact}.`,
  ]
  if (rules.length > 0) parts.push(`\n${table(['RULE', 'RESULT', 'REQUESTS', 'USD'], rules)}`)
  if (unknown.length > 0) parts.push(`\n${table(['UNDECIDABLE', 'REQUESTS', 'REASON'], unknown)}`)
  if (replay.notes.length > 0) parts.push(`\n${replay.notes.map((note) => `- ${note}`).join('\n')}`)
  return parts.join('\n')
}
