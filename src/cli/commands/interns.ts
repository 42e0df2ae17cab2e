import { type Command, Option } from 'commander'
import type { InternResponse } from '#interns/registry/intern.ts'
import type { AgentQuestion } from '../chat/conversation.ts'
import { apiKeyHelp, createApiClient } from '../kit/api-client.ts'
import { formatSecond } from '../kit/format.ts'
import { internPath } from '../kit/intern-path.ts'
import { collect } from '../kit/option-parsers.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { addBudgetOptions, type BudgetOptions, budgetCommand, readBudgetOptions } from './interns/budget.ts'
import { chooseMode } from './interns/choose-mode.ts'
import { filesCommands } from './interns/files.ts'
import { hostsCommands } from './interns/hosts.ts'
import { logCommand } from './interns/log.ts'
import { internsMcpCommand } from './interns/mcp.ts'
import { internsRulesCommand } from './interns/rules.ts'

export function internsCommand(interns: Command, terminal: Terminal): void {
  const { env, out } = terminal
  const client = () => createApiClient(env, 'api')

  addBudgetOptions(interns.command('create').description('Create an intern and start it'))
    .argument('<name>', 'Name such as "ada": lowercase letters, digits and "-"')
    .option('--model <id>', 'Model (default: the setting default_intern_model of the server)')
    .option('--instructions <text>', 'Instructions for every session')
    .option('--agent <name>', 'Agent from the configuration of the service (default: the builtin one)')
    .addOption(
      new Option(
        '--approval-mode <mode>',
        'manual: always ask before an action. self-drive: callers can turn questions off; commands then run without a sandbox (default: asked on a terminal, otherwise self-drive)',
      ).choices(['manual', 'self-drive']),
    )
    .addOption(new Option('--visibility <scope>', 'Who can see and use the intern').choices(['creator', 'workspace']))
    .option('--host-labels <labels>', 'Labels that its host must have, separated by commas, such as "gpu,region=eu"')
    .option('--repository <url>', 'Git repository to clone into its workspace')
    .option('--ref <name>', 'Branch or tag to check out')
    .option('--repository-user <name>', 'User name for the git server; the password is read from the environment')
    .option('--web-host <host>', 'Host from which the builtin agent can fetch web pages. Can be repeated', collect)
    .option('--no-start', 'Do not start the intern')
    .addHelpText('after', `${apiKeyHelp}\n  ${passwordVariable}  Password or token for the repository`)
    .action(async (name: string, options: CreateOptions) => {
      const api = client()
      const checkKey = () => api.request('GET', '/interns?limit=1')
      const approvalMode = options.approvalMode ?? (await chooseMode(terminal, name, checkKey))
      const body = newIntern(name, { ...options, approvalMode }, env[passwordVariable])
      const created = await api.request<InternResponse>('POST', '/interns', body)
      out(`Created "${created.name}" (${created.id}): ${created.status}. Approval mode: ${created.approval_mode}.`)
    })

  interns
    .command('questions')
    .description('List the open questions of an intern, or of all interns that you can see')
    .argument('[intern]', 'Name or ID of the intern')
    .option('--json', 'Print JSON')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string | undefined, { json }: { json?: true }) => {
      const questions =
        intern === undefined
          ? await client().listAllByCursor<OpenQuestion>('/interns/questions', 100)
          : (await client().request<{ data: OpenQuestion[] }>('GET', internPath(intern, '/questions'))).data
      if (json) return out(JSON.stringify(questions, null, 2))
      out(questionTable(questions))
      const name = intern ?? '<intern>'
      if (questions.length > 0) out(`To answer a question: npx signalbox chat ${name} --session <session>`)
    })

  internsMcpCommand(interns, terminal)
  logCommand(interns, terminal)
  filesCommands(interns, terminal)
  internsRulesCommand(interns, terminal)
  hostsCommands(interns, terminal)
  budgetCommand(interns, terminal)
}

/** An open question, as the API lists it. */
export type OpenQuestion = AgentQuestion & { intern_name?: string; session_id: string; deadline_at: string }

function questionTable(questions: OpenQuestion[]): string {
  const headings = ['SESSION', 'EXPIRES (UTC)', 'KIND', 'DETAILS']
  const rows = questions.map((question) => [
    question.session_id,
    formatSecond(question.deadline_at),
    question.kind === 'permission' ? (question.operation ?? 'permission') : 'form',
    (question.kind === 'permission' ? question.detail : question.message) ?? '',
  ])
  // Only the list of all interns has their names.
  if (questions.every((question) => question.intern_name === undefined)) return table(headings, rows)
  return table(
    ['INTERN', ...headings],
    rows.map((row, i) => [questions[i]!.intern_name ?? '', ...row]),
  )
}

/** The password is not an option, because other users of the machine see the options of a command. */
const passwordVariable = 'SIGNALBOX_REPOSITORY_PASSWORD'

type CreateOptions = BudgetOptions & {
  start: boolean
  model?: string
  instructions?: string
  agent?: string
  visibility?: string
  approvalMode?: string | undefined
  webHost?: string[]
  hostLabels?: string
  repository?: string
  ref?: string
  repositoryUser?: string
}

/** The body that creates an intern. Undefined fields are not sent. */
function newIntern(name: string, options: CreateOptions, repositoryPassword: string | undefined): object {
  const { start, model, instructions, agent, visibility, approvalMode, hostLabels, webHost } = options
  return {
    name,
    provision: start,
    model,
    instructions,
    agent,
    visibility,
    approval_mode: approvalMode,
    host_labels: hostLabels?.split(',').map((label) => label.trim()),
    web_hosts: webHost,
    repository: repositoryOf(options, repositoryPassword),
    budget: readBudgetOptions(options),
  }
}

function repositoryOf({ repository: url, ref, repositoryUser: username }: CreateOptions, password?: string) {
  if (url === undefined) return undefined
  return { url, ref, credential: password ? { password, username } : undefined }
}
