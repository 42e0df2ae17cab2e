import { Command, CommanderError } from 'commander'
import { Fault, StartupError } from '#platform/core/fault.ts'
import { version } from '#platform/core/version.ts'
import { systemRefusal } from '#platform/process/system-error.ts'
import { printable, withoutControls } from '#platform/text/printable.ts'
import { acpCommand } from './acp/acp.ts'
import { chatCommand } from './chat/chat.ts'
import { auditCommand } from './commands/audit.ts'
import { budgetsCommand } from './commands/budgets.ts'
import { byokCommand } from './commands/byok.ts'
import { catalogueCommand } from './commands/catalogue.ts'
import { databaseCommand } from './commands/database.ts'
import { guardrailsCommand } from './commands/guardrails.ts'
import { internsCommand } from './commands/interns.ts'
import { keysCommand } from './commands/keys.ts'
import { membersCommand } from './commands/members.ts'
import { openapiCommand } from './commands/openapi.ts'
import { passkeysCommand } from './commands/passkeys.ts'
import { presetsCommand } from './commands/presets.ts'
import { reconcileCommand } from './commands/reconcile.ts'
import { requestsCommand } from './commands/requests.ts'
import { sessionsCommand } from './commands/sessions.ts'
import { usageCommand } from './commands/usage.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { workspacesCommand } from './commands/workspaces.ts'
import { importCommand } from './import/import.ts'
import { configCommand } from './kit/config.ts'
import type { Terminal } from './kit/terminal.ts'

/** The top-level commands. A new one is a file in `commands/` and a line here. */
const commands = [
  acpCommand,
  auditCommand,
  budgetsCommand,
  byokCommand,
  catalogueCommand,
  chatCommand,
  configCommand,
  databaseCommand,
  guardrailsCommand,
  importCommand,
  internsCommand,
  keysCommand,
  membersCommand,
  openapiCommand,
  passkeysCommand,
  presetsCommand,
  reconcileCommand,
  requestsCommand,
  sessionsCommand,
  usageCommand,
  webhooksCommand,
  workspacesCommand,
]

export function addCommands(program: Command, terminal: Terminal): void {
  for (const add of commands) add(program, terminal)
}

const help = `
Environment:
  SIGNALBOX_KEY  Key for the running service: an API key for acp, chat and interns,
                 a management key for the other commands
  SIGNALBOX_URL  Base URL of the service (default: http://127.0.0.1:8080/api/v1)

"catalogue", "config", "database" and "keys reset-management" do not call the service.
They read its settings instead (CONFIG, DATA_DIR, DATABASE_URL).

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
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
  addCommands(program, terminal)
  try {
    await program.parseAsync(untilUnknownCommand(program, args), { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const message = error instanceof StartupError || error instanceof Fault ? error.message : systemRefusal(error)
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
  for (const [at, argument] of args.entries()) {
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
    if (!isGroup || argument.startsWith('-')) return args
    if (argument === 'help') return untilUnknownCommand(program, [...args.toSpliced(at, 1), '--help'])
    const next = command.commands.find((one) => one.name() === argument)
    if (!next) return args.slice(0, at + 1)
    command = next
  }
  return args
}

/** Removes control characters from the output, because it can contain text of other people: names of keys and files. */
function withoutControlCharacters({ out, err, ...terminal }: Terminal): Terminal {
  return { ...terminal, out: (text) => out(withoutControls(text)), err: (text) => err(withoutControls(text)) }
}
