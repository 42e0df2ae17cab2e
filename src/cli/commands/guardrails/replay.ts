import type { Command } from 'commander'
import type { Replay } from '#policy/replay/answer.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { guardrailId, rulesFrom, whichGuardrail } from './find.ts'

type Options = { from?: string; to?: string; file?: string; json?: boolean }

export function replayCommand(guardrails: Command, { env, out }: Terminal): void {
  guardrails
    .command('replay')
    .description('tell what a guardrail would have refused or redacted of what was asked; nothing is changed')
    .argument('<guardrail>', whichGuardrail)
    .argument('[rules...]', 'what to change of it for the trial, such as limit_usd=50')
    .option('--file <path>', 'rules from a JSON file')
    .option('--from <instant>', 'from then on (default: seven days ago)')
    .option('--to <instant>', 'until then (default: now)')
    .option('--json', 'print all of it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (wanted: string, words: string[], { from, to, file, json }: Options) => {
      const policy = words.length > 0 || file !== undefined ? rulesFrom(words, file) : undefined
      const client = apiClient(env)
      const path = `/guardrails/${await guardrailId(client, wanted)}/replay`
      const body = { ...(from && { from }), ...(to && { to }), ...(policy && { policy }) }
      const { data } = await client.ask<{ data: Replay }>('POST', path, body)
      out(json ? JSON.stringify(data, null, 2) : replayText(data))
    })
}

function replayText(replay: Replay): string {
  const { requests, usd, would_refuse: refuse, would_reroute: reroute, would_redact: redact } = replay
  const rules = replay.by_rule.map((of) => [of.rule, of.outcome, String(of.requests), of.usd.toFixed(6)])
  const unknown = replay.undecidable.map(({ rule, requests: count, why }) => [rule, String(count), why])
  const parts = [
    `${day(replay.from)} to ${day(replay.to)}: ${requests} requests for $${usd.toFixed(6)}.`,
    `It would refuse ${refuse}, send ${reroute} to another endpoint, and redact ${redact}.`,
    rules.length > 0 && `\n${table(['RULE', 'WOULD', 'REQUESTS', 'USD'], rules)}`,
    unknown.length > 0 && `\n${table(['CANNOT BE TOLD', 'REQUESTS', 'WHY'], unknown)}`,
    replay.notes.length > 0 && `\n${replay.notes.map((note) => `- ${note}`).join('\n')}`,
  ]
  return parts.filter(Boolean).join('\n')
}

const day = (instant: string) => instant.slice(0, 16).replace('T', ' ')
