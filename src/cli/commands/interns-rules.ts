import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { RulesReplay } from '#interns/rules/replay-answer.ts'
import type { RulesRecord } from '#interns/rules/rules-body.ts'
import { StartupError } from '#platform/core/fault.ts'
import { whyUnread } from '#platform/process/system-error.ts'
import { printableLine } from '#platform/text/printable.ts'
import { type ApiClient, apiClient, internsHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { wholeNumber } from '../kit/whole-number.ts'

type Whose = { workspace?: string }
type Options = Whose & { json?: boolean; version?: string; file?: string; from?: string; to?: string; expect?: number }

const fileHelp = `
The file holds the rules as JSON, in their order:
  [{"effect": "deny", "commands": ["git push"]}, {"effect": "allow", "commands": ["npm test", "git log **"]}]
${internsHelp}
  With --workspace SIGNALBOX_KEY is a management key.`

/** The rules for what interns may do: those of one, or of all of a workspace. */
export function internsRulesCommand(interns: Command, { env, out }: Terminal): void {
  const rules = interns.command('rules').description('read, set and try rules for what interns may do')
  const command = (name: string, about: string) =>
    rules
      .command(name)
      .description(about)
      .argument('[intern]', 'its name or id')
      .option('--workspace <slug>', 'the rules for all interns of this workspace')
      .option('--json', 'print all of it as JSON')
      .addHelpText('after', fileHelp)

  command('get', 'show the rules that hold')
    .option('--version <number>', 'an earlier version of them')
    .action(async (intern: string | undefined, { json, version, workspace }: Options) => {
      const { client, path } = ofWhom(env, intern, { workspace })
      const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`
      const { data } = await client.ask<{ data: RulesRecord }>('GET', path + query)
      out(json ? JSON.stringify(data, null, 2) : rulesText(data))
    })

  command('set', 'replace the rules by those of a file; they hold within a second')
    .requiredOption('--file <path>', 'the rules as JSON')
    .option('--expect <version>', 'only if they are still at this version', wholeNumber(0))
    .action(async (intern: string | undefined, { json, file, expect, workspace }: Options) => {
      const { client, path } = ofWhom(env, intern, { workspace })
      const body = { rules: rulesIn(file!), ...(expect !== undefined && { expected_version: expect }) }
      const { data } = await client.ask<{ data: RulesRecord }>('PUT', path, body)
      out(json ? JSON.stringify(data, null, 2) : rulesText(data))
    })

  command('replay', 'tell what rules would have decided about the questions of the past; nothing is changed')
    .option('--file <path>', 'the rules to try as JSON (default: those that hold)')
    .option('--from <instant>', 'from then on (default: 30 days ago)')
    .option('--to <instant>', 'until then (default: now)')
    .action(async (intern: string | undefined, { json, file, from, to, workspace }: Options) => {
      const { client, path } = ofWhom(env, intern, { workspace })
      const body = { ...(from && { from }), ...(to && { to }), ...(file !== undefined && { rules: rulesIn(file) }) }
      const { data } = await client.ask<{ data: RulesReplay }>('POST', `${path}/replay`, body)
      out(json ? JSON.stringify(data, null, 2) : replayText(data))
    })
}

function ofWhom(
  env: Terminal['env'],
  intern: string | undefined,
  { workspace }: { workspace: string | undefined },
): { client: ApiClient; path: string } {
  if ((intern === undefined) === (workspace === undefined))
    throw new StartupError('Name an intern, or with --workspace the workspace whose rules are meant.')
  if (workspace !== undefined)
    return { client: apiClient(env), path: `/workspaces/${encodeURIComponent(workspace)}/intern-rules` }
  return { client: apiClient(env, 'api'), path: `/interns/${encodeURIComponent(intern!)}/rules` }
}

/** What `get --json` prints is taken, too. */
function rulesIn(file: string): unknown[] {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const rules = Array.isArray(found) ? found : (found as { rules?: unknown } | null)?.rules
    if (Array.isArray(rules)) return rules
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new StartupError(`${file} cannot be read: ${whyUnread(error)}.`)
  }
  throw new StartupError(`${file} must hold a JSON list of rules.`)
}

function rulesText({ version, rules, updated_at: at }: RulesRecord): string {
  if (rules.length === 0) return version === 0 ? 'There are no rules.' : `There are no rules (version ${version}).`
  const rows = rules.map(({ effect, name, ...conditions }, place) => [
    String(place + 1),
    effect,
    printableLine(
      Object.entries(conditions)
        .map(([what, values]) => `${what}: ${Array.isArray(values) ? values.join(', ') : values}`)
        .join('; ') || 'everything',
    ),
    printableLine(name ?? ''),
  ])
  return `${table(['', 'EFFECT', 'WHERE', 'NAME'], rows)}\nVersion ${version}, of ${at?.slice(0, 16).replace('T', ' ')}.`
}

function replayText({
  summary,
  all,
  would_ask,
  no_rule,
  by_rule,
  people_decided_otherwise: otherwise,
  notes,
}: RulesReplay): string {
  const counts = by_rule.map((one) => [
    `${one.scope} ${one.rule}`,
    one.effect,
    ...[one.questions, one.people_allowed, one.people_rejected, one.unanswered].map(String),
    printableLine(one.name ?? ''),
  ])
  const differences = otherwise.map((one) => [one.effect, one.answer, `${one.scope} ${one.rule}`, one.detail])
  const parts = [
    summary,
    `Of ${all.questions} questions a rule would have asked ${would_ask.questions}, and ${no_rule.questions} meet no rule.`,
    counts.length > 0 &&
      `\n${table(['RULE', 'WOULD', 'QUESTIONS', 'ALLOWED', 'REJECTED', 'UNANSWERED', 'NAME'], counts)}`,
    differences.length > 0 && `\n${table(['WOULD', 'PEOPLE SAID', 'RULE', 'WHAT'], differences)}`,
    `\n${notes.map((note) => `- ${note}`).join('\n')}`,
  ]
  return parts.filter(Boolean).join('\n')
}
