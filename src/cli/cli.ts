import { Command, CommanderError } from 'commander'
import { Fault, UserFacingError } from '#platform/core/fault.ts'
import { version } from '#platform/core/version.ts'
import { describeSystemError } from '#platform/process/system-error.ts'
import { escapeControls, printable } from '#platform/text/printable.ts'
import type { Terminal } from './kit/terminal.ts'

type AddCommands = (group: Command, terminal: Terminal) => void
/** A top-level command. `load` imports its hand-written commands; the others follow from the description of the API. */
type Group = { description: string; load?: () => Promise<AddCommands> }

/** The top-level commands. A hand-written one is a file in `commands/` and a line here. */
const groups: Record<string, Group> = {
  acp: {
    description: 'Connect an editor to an intern over the Agent Client Protocol (standard input and output)',
    load: async () => (await import('./acp/acp.ts')).acpCommand,
  },
  analytics: { description: 'Query usage by time and dimension' },
  audit: { description: 'Show the audit log, newest first: changes, and answers to questions of interns' },
  budgets: {
    description: 'Manage the spending budgets of workspaces and the organization',
    load: async () => (await import('./commands/budgets.ts')).budgetsCommand,
  },
  byok: { description: 'Manage the provider keys of a workspace (BYOK: bring your own key)' },
  catalogue: {
    description: 'Fetch the list of models and prices, and check catalogue files',
    load: async () => (await import('./commands/catalogue.ts')).catalogueCommand,
  },
  chat: { description: 'Chat with an intern', load: async () => (await import('./chat/chat.ts')).chatCommand },
  config: {
    description: 'Print the effective settings, with secrets masked',
    load: async () => (await import('./kit/config.ts')).configCommand,
  },
  database: {
    description: 'Back up the embedded database, or copy it to Postgres',
    load: async () => (await import('./commands/database.ts')).databaseCommand,
  },
  guardrails: {
    description: 'Manage guardrails (rules for spending, models and data), and replay them against past requests',
    load: async () => (await import('./commands/guardrails.ts')).guardrailsCommand,
  },
  import: {
    description: 'Import the configuration of another gateway',
    load: async () => (await import('./import/import.ts')).importCommand,
  },
  interns: {
    description: 'Manage interns: agents that run on your hosts',
    load: async () => (await import('./commands/interns.ts')).internsCommand,
  },
  keys: {
    description: 'Manage API keys and management keys',
    load: async () => (await import('./commands/keys.ts')).keysCommand,
  },
  members: {
    description: 'Manage the members of the organization',
    load: async () => (await import('./commands/members.ts')).membersCommand,
  },
  models: { description: 'List models, their endpoints and providers' },
  openapi: {
    description: 'Print the OpenAPI 3.1 description of the API',
    load: async () => (await import('./commands/openapi.ts')).openapiCommand,
  },
  organization: { description: 'Show and update the organization' },
  passkeys: { description: 'Manage the passkeys with which members sign in' },
  presets: {
    description: 'Manage presets (stored request configurations) and their versions',
    load: async () => (await import('./commands/presets.ts')).presetsCommand,
  },
  reconcile: {
    description: "Compare the recorded usage and costs with a provider's export, by day and model",
    load: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
  },
  requests: {
    description: 'Read the request log: outcomes, tokens and costs; release unconfirmed charges',
    load: async () => (await import('./commands/requests.ts')).requestsCommand,
  },
  service: { description: 'Show the status and the settings of the running service' },
  sessions: {
    description: 'Manage browser sessions, and create sign-in links',
    load: async () => (await import('./commands/sessions.ts')).sessionsCommand,
  },
  usage: {
    description: 'Show requests, tokens and costs of the last 30 days',
    load: async () => (await import('./commands/usage.ts')).usageCommand,
  },
  webhooks: { description: 'Manage webhooks for intern and budget events' },
  workspaces: { description: 'Manage workspaces' },
}

/** Wraps descriptions beside long names too. Commander otherwise leaves lines of any length there. */
const helpLayout = { minWidthToWrap: 30 }

/** Adds the commands of one group, or of all groups. Other groups are added with their description only, which keeps the start fast. */
export async function addCommands(program: Command, terminal: Terminal, groupName?: string): Promise<void> {
  // Commands inherit the layout when they are added.
  program.configureHelp(helpLayout)
  for (const [name, { description, load }] of Object.entries(groups)) {
    const group = program.command(name).description(description)
    if (groupName !== undefined && groupName !== name) continue
    const addHandWritten = await load?.()
    addHandWritten?.(group, terminal)
    const { addGeneratedCommands } = await import('./api-commands/add-commands.ts')
    addGeneratedCommands(group, terminal)
  }
  // The list of commands has one name on each line, whether its options are loaded or not.
  program.configureHelp({ ...helpLayout, subcommandTerm: (command) => command.name() })
}

const help = `
Environment:
  SIGNALBOX_KEY  Key for the running service: an API key for acp, chat and
                 interns, a management key for the other commands (default:
                 the value of API_KEY or MANAGEMENT_KEY)
  SIGNALBOX_URL  Base URL of the service (default: BASE_URL if the key is from
                 API_KEY or MANAGEMENT_KEY, otherwise
                 http://127.0.0.1:8080/api/v1)

"catalogue sync", "catalogue check", "config", "database" and
"keys reset-management" do not call the service. They read its settings instead
(CONFIG, DATA_DIR, DATABASE_URL).

Run "signalbox <command> --help" for the options of a command.`

/** Runs one command. Prints an error of the user or the environment as one sentence. @returns the exit code */
export async function runCli(args: string[], rawTerminal: Terminal): Promise<number> {
  const terminal = withoutControlCharacters(rawTerminal)
  const program = new Command('signalbox')
    .description('Manage a self-hosted gateway for language models, and talk to its interns.')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', help)
    .showHelpAfterError('Add --help to see the arguments and options.')
    // "--version" after a command is an option of that command.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
  // `--help` lists the groups without loading them.
  const groupName = args.find((argument) => !argument.startsWith('-') && argument !== 'help')
  await addCommands(program, terminal, groupName ?? '')
  try {
    await program.parseAsync(untilUnknownCommand(program, args), { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const message =
      error instanceof UserFacingError || error instanceof Fault ? error.message : describeSystemError(error)
    if (message === undefined) throw error
    terminal.err(printable(message))
    return 1
  }
}

/**
 * Drops the arguments after an unknown command: with `--help` among them, Commander shows the help of the parent, not an
 * error. Replaces `help` before a command by `--help` after it: Commander ignores all but one word after `help`.
 */
function untilUnknownCommand(program: Command, args: string[]): string[] {
  let command = program
  for (const [i, argument] of args.entries()) {
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
    if (!isGroup || argument.startsWith('-')) return args
    if (argument === 'help') return untilUnknownCommand(program, [...args.toSpliced(i, 1), '--help'])
    const subcommand = command.commands.find((candidate) => candidate.name() === argument)
    if (!subcommand) return args.slice(0, i + 1)
    command = subcommand
  }
  return args
}

/** Removes control characters from the output, because it can contain text of other people: names of keys and files. */
function withoutControlCharacters({ out, err, ...terminal }: Terminal): Terminal {
  return { ...terminal, out: (text) => out(escapeControls(text)), err: (text) => err(escapeControls(text)) }
}
