import { type Command, Option } from 'commander'
import type { InternRecord } from '#interns/registry/intern.ts'
import type { AgentQuestion } from '../chat/conversation.ts'
import { apiClient, internsHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { type BudgetOptions, budgetCommand, budgetOf, withBudget } from './interns/budget.ts'
import { filesCommands } from './interns/files.ts'
import { hostsCommands } from './interns/hosts.ts'
import { logCommand } from './interns/log.ts'
import { runsCommands } from './interns/runs.ts'
import { internsMcpCommand } from './interns-mcp.ts'
import { internsRulesCommand } from './interns-rules.ts'

type Page<Item> = { data: Item[]; has_more: boolean; next_cursor?: string }

export function internsCommand(program: Command, terminal: Terminal): void {
  const { env, out } = terminal
  const interns = program.command('interns').description('list, make, start, stop and delete interns')
  const path = (name: string, command = '') => `/interns/${encodeURIComponent(name)}${command}`
  const client = () => apiClient(env, 'api')

  interns
    .command('list')
    .description('list your interns, and those that all of your workspace see')
    .option('--json', 'print them as JSON')
    .addHelpText('after', internsHelp)
    .action(async (options: { json?: boolean }) => {
      const all = await everyItem((query) => client().ask<Page<InternRecord>>('GET', `/interns?limit=100${query}`))
      out(options.json ? JSON.stringify(all, null, 2) : internTable(all))
    })

  withBudget(interns.command('create').description('make an intern, and start it'))
    .argument('<name>', 'such as "ada": lowercase letters, digits and "-"')
    .option('--model <id>', 'the model it thinks with (default: the server’s default_intern_model)')
    .option('--instructions <text>', 'what it is told before every conversation')
    .option('--agent <name>', 'an agent that the service is configured with (default: the builtin one)')
    .addOption(
      new Option('--approval-mode <mode>', 'manual: it asks before it acts, always').choices(['manual', 'self-drive']),
    )
    .addOption(new Option('--visibility <whom>', 'who sees it and talks to it').choices(['creator', 'workspace']))
    .option('--host-labels <labels>', 'what its host must have, with commas between: "gpu,region=eu"')
    .option('--repository <url>', 'a git repository that it begins with a clone of')
    .option('--ref <name>', 'which branch or tag of it')
    .option('--repository-user <name>', 'as whom its server is asked, with the password in the environment')
    .option('--web-host <host>', 'a host that its builtin agent may fetch pages from; may be repeated', collected)
    .option('--no-start', 'leave it stopped')
    .addHelpText('after', `${internsHelp}\n  ${passwordVariable}  the password, or token, that opens the repository`)
    .action(async (name: string, options: CreateOptions) => {
      const { start, approvalMode, hostLabels, webHost, ...others } = options
      const { maxCost: _a, maxSeconds: _b, sessionMaxCost: _c, sessionMaxTurns: _d, ...unlimited } = others
      const { repository: _url, ref: _ref, repositoryUser: _user, ...wanted } = unlimited
      const budget = budgetOf(options)
      const repository = repositoryOf(options, env[passwordVariable])
      const host_labels = hostLabels?.split(',').map((label) => label.trim())
      const more = {
        ...(host_labels && { host_labels }),
        ...(webHost && { web_hosts: webHost }),
        ...(approvalMode && { approval_mode: approvalMode }),
        ...(repository && { repository }),
        ...(budget && { budget }),
      }
      const made = await client().ask<InternRecord>('POST', '/interns', { name, provision: start, ...more, ...wanted })
      out(`Made "${made.name}" (${made.id}): ${made.status}.`)
    })

  interns
    .command('questions')
    .description('list what an intern waits for answers to, or all that you see do')
    .argument('[intern]', 'its name or id')
    .addHelpText('after', internsHelp)
    .action(async (intern?: string) => {
      const questions =
        intern === undefined
          ? await everyItem((query) =>
              client().ask<Page<WaitingQuestion>>('GET', `/interns/questions?limit=100${query}`),
            )
          : (await client().ask<{ data: WaitingQuestion[] }>('GET', path(intern, '/questions'))).data
      out(questionTable(questions))
      const whose = intern ?? '<its intern>'
      if (questions.length > 0) out(`To answer one: npx signalbox chat ${whose} --session <its session>`)
    })

  internsMcpCommand(interns, terminal)
  runsCommands(interns, terminal)
  logCommand(interns, terminal)
  filesCommands(interns, terminal)
  internsRulesCommand(interns, terminal)
  hostsCommands(interns, terminal)
  budgetCommand(interns, terminal)

  const commands = [
    { name: 'provision', about: 'start an intern', method: 'POST', below: '/provision', done: 'is being started' },
    { name: 'suspend', about: 'stop an intern; its files stay', method: 'POST', below: '/suspend', done: 'is stopped' },
    { name: 'delete', about: 'delete an intern with its files', method: 'DELETE', below: '', done: 'is being deleted' },
  ] as const
  for (const { name, about, method, below, done } of commands) {
    interns
      .command(name)
      .description(about)
      .argument('<intern>', 'its name or id')
      .addHelpText('after', internsHelp)
      .action(async (intern: string) => {
        await client().ask(method, path(intern, below))
        out(`"${intern}" ${done}.`)
      })
  }
}

async function everyItem<Item>(read: (query: string) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = []
  let cursor = ''
  for (;;) {
    const { data, has_more, next_cursor } = await read(cursor)
    all.push(...data)
    if (!has_more || !next_cursor) return all
    cursor = `&starting_after=${next_cursor}`
  }
}

const collected = (one: string, all: string[] = []) => [...all, one]

function internTable(interns: InternRecord[]): string {
  const rows = interns.map((intern) => [
    intern.name,
    intern.progress ? `${intern.status}: ${intern.progress.step_label}` : intern.status,
    typeof intern.agent === 'string' ? intern.agent : intern.agent ? intern.agent.command : 'builtin',
    intern.model ?? '-',
    intern.visibility,
    intern.host === null ? '-' : intern.host.state === 'gone' ? `${intern.host.name} (gone)` : intern.host.name,
    intern.id,
    intern.last_failure_message ?? '',
  ])
  return table(['NAME', 'STATUS', 'AGENT', 'MODEL', 'SEEN BY', 'HOST', 'ID', 'LAST FAILURE'], rows)
}

/** A question that waits, as the API lists it. */
export type WaitingQuestion = AgentQuestion & { intern_name?: string; session_id: string; deadline_at: string }

function questionTable(questions: WaitingQuestion[]): string {
  const areOfMany = questions.some((asked) => asked.intern_name !== undefined)
  const rows = questions.map((asked) => [
    ...(areOfMany ? [asked.intern_name ?? ''] : []),
    asked.session_id,
    asked.deadline_at.slice(0, 19).replace('T', ' '),
    asked.kind === 'permission' ? (asked.operation ?? 'permission') : 'form',
    (asked.kind === 'permission' ? asked.detail : asked.message) ?? '',
  ])
  return table([...(areOfMany ? ['INTERN'] : []), 'SESSION', 'UNTIL (UTC)', 'ASKS FOR', 'WHAT'], rows)
}

/** Not an option: other users of the machine see the options of all commands. */
const passwordVariable = 'SIGNALBOX_REPOSITORY_PASSWORD'

type CreateOptions = BudgetOptions & {
  start: boolean
  approvalMode?: string
  webHost?: string[]
  hostLabels?: string
  repository?: string
  ref?: string
  repositoryUser?: string
}

function repositoryOf({ repository: url, ref, repositoryUser: username }: CreateOptions, password?: string) {
  if (url === undefined) return undefined
  const credential = password ? { password, ...(username && { username }) } : undefined
  return { url, ...(ref && { ref }), ...(credential && { credential }) }
}
