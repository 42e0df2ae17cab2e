import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { RulesReplay } from '#interns/rules/replay-response.ts'
import type { RulesRecord } from '#interns/rules/rules-body.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { readErrorText } from '#platform/process/system-error.ts'
import { printableLine } from '#platform/text/printable.ts'
import { type ApiClient, apiKeyHelp, createApiClient } from '../../kit/api-client.ts'
import { minute } from '../../kit/format.ts'
import { internPath } from '../../kit/intern-path.ts'
import { wholeNumber } from '../../kit/option-parsers.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Scope = { workspace?: string }
type Options = Scope & { json?: boolean; version?: string; file?: string; from?: string; to?: string; expect?: number }

const bothKeysHelp = `${apiKeyHelp}
  With --workspace, SIGNALBOX_KEY must be a management key.`

const fileHelp = `
The file contains a JSON list of rules. The first rule that matches applies.
  [{"effect": "deny", "commands": ["git push"]},
   {"effect": "allow", "commands": ["npm test", "git log **"]}]
${bothKeysHelp}`

/** Manages the rules for the actions of an intern, or of all interns of a workspace. */
export function internsRulesCommand(interns: Command, { env, out }: Terminal): void {
  const rules = interns
    .command('rules')
    .description('Manage the rules that allow or deny actions of interns, or require a question')
  const addCommand = (name: string, description: string, help = fileHelp) =>
    rules
      .command(name)
      .description(description)
      .argument('[intern]', 'Name or ID of the intern')
      .option('--workspace <slug>', 'Use the rules for all interns of this workspace')
      .option('--json', 'Print JSON')
      .addHelpText('after', help)

  addCommand('get', 'Show the rules in force', bothKeysHelp)
    .option('--version <number>', 'Show an earlier version')
    .action(async (intern: string | undefined, { json, version, workspace }: Options) => {
      const { client, path } = rulesClient(env, intern, { workspace })
      const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`
      const { data } = await client.request<{ data: RulesRecord }>('GET', path + query)
      out(json ? JSON.stringify(data, null, 2) : rulesText(data))
    })

  addCommand('set', 'Replace the rules with those of a file. They take effect within a second')
    .requiredOption('--file <path>', 'JSON file with the rules')
    .option('--expect <version>', 'Fail if the rules are no longer at this version', wholeNumber(0))
    .action(async (intern: string | undefined, { json, file, expect, workspace }: Options) => {
      const { client, path } = rulesClient(env, intern, { workspace })
      const body = { rules: readRules(file!), ...(expect !== undefined && { expected_version: expect }) }
      const { data } = await client.request<{ data: RulesRecord }>('PUT', path, body)
      out(json ? JSON.stringify(data, null, 2) : rulesText(data))
    })

  addCommand('replay', 'Show what rules would have decided about past questions, without changing anything')
    .option('--file <path>', 'JSON file with the rules to replay (default: the rules in force)')
    .option('--from <instant>', 'Start time, such as 2030-01-31T00:00:00Z (default: 30 days ago)')
    .option('--to <instant>', 'End time (default: now)')
    .action(async (intern: string | undefined, { json, file, from, to, workspace }: Options) => {
      const { client, path } = rulesClient(env, intern, { workspace })
      const body = { ...(from && { from }), ...(to && { to }), ...(file !== undefined && { rules: readRules(file) }) }
      const { data } = await client.request<{ data: RulesReplay }>('POST', `${path}/replay`, body)
      out(json ? JSON.stringify(data, null, 2) : replayText(data))
    })
}

function rulesClient(
  env: Terminal['env'],
  intern: string | undefined,
  { workspace }: { workspace: string | undefined },
): { client: ApiClient; path: string } {
  if (workspace !== undefined && intern === undefined)
    return { client: createApiClient(env), path: `/workspaces/${encodeURIComponent(workspace)}/intern-rules` }
  if (intern !== undefined && workspace === undefined)
    return { client: createApiClient(env, 'api'), path: internPath(intern, '/rules') }
  throw new UserFacingError('Specify an intern, or a workspace with --workspace.')
}

/** Reads rules from a file: a list, or the output of `get --json`. */
function readRules(file: string): unknown[] {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const rules = Array.isArray(content) ? content : (content as { rules?: unknown } | null)?.rules
    if (Array.isArray(rules)) return rules
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new UserFacingError(`${file} cannot be read: ${readErrorText(error)}.`)
  }
  throw new UserFacingError(`${file} must contain a JSON list of rules.`)
}

function rulesText({ version, rules, updated_at: at }: RulesRecord): string {
  if (rules.length === 0) return version === 0 ? 'No rules.' : `No rules (version ${version}).`
  const rows = rules.map(({ effect, name, ...conditions }, index) => [
    String(index + 1),
    effect,
    printableLine(
      Object.entries(conditions)
        .map(([condition, values]) => `${condition}: ${Array.isArray(values) ? values.join(', ') : values}`)
        .join('; ') || 'everything',
    ),
    printableLine(name ?? ''),
  ])
  return `${table(['#', 'EFFECT', 'CONDITIONS', 'NAME'], rows)}\nVersion ${version}, updated ${minute(at)}.`
}

function replayText({
  summary,
  all,
  would_ask,
  no_rule,
  by_rule,
  people_decided_otherwise: differentAnswers,
  notes,
}: RulesReplay): string {
  const counts = by_rule.map((row) => [
    `${row.scope} ${row.rule}`,
    row.effect,
    ...[row.questions, row.people_allowed, row.people_rejected, row.unanswered].map(String),
    printableLine(row.name ?? ''),
  ])
  const differences = differentAnswers.map((row) => [row.effect, row.answer, `${row.scope} ${row.rule}`, row.detail])
  const parts = [
    summary,
    `Of ${all.questions} questions, rules would have asked ${would_ask.questions}; no rule applies to ${no_rule.questions}.`,
  ]
  const headings = ['RULE', 'EFFECT', 'QUESTIONS', 'ALLOWED', 'REJECTED', 'UNANSWERED', 'NAME']
  if (counts.length > 0) parts.push(`\n${table(headings, counts)}`)
  if (differences.length > 0) parts.push(`\n${table(['EFFECT', 'ACTUAL ANSWER', 'RULE', 'DETAILS'], differences)}`)
  parts.push(`\n${notes.map((note) => `- ${note}`).join('\n')}`)
  return parts.join('\n')
}
