import { Command, CommanderError } from 'commander'
import { Fault, StartupError } from '#platform/core/fault.ts'
import { version } from '#platform/core/version.ts'
import { systemRefusal } from '#platform/process/system-error.ts'
import { printable, withoutControls } from '#platform/text/printable.ts'
import { acpCommand } from './acp/acp.ts'
import { chatCommand } from './chat/chat.ts'
import { auditCommand } from './commands/audit.ts'
import { byokCommand } from './commands/byok.ts'
import { catalogueCommand } from './commands/catalogue.ts'
import { databaseCommand } from './commands/database.ts'
import { guardrailsCommand } from './commands/guardrails.ts'
import { internsCommand } from './commands/interns.ts'
import { keysCommand } from './commands/keys.ts'
import { membersCommand } from './commands/members.ts'
import { openapiCommand } from './commands/openapi.ts'
import { presetsCommand } from './commands/presets.ts'
import { requestsCommand } from './commands/requests.ts'
import { sessionsCommand } from './commands/sessions.ts'
import { usageCommand } from './commands/usage.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { workspacesCommand } from './commands/workspaces.ts'
import { importCommand } from './import/import.ts'
import { configCommand } from './kit/config.ts'
import type { Terminal } from './kit/terminal.ts'

/** Every command adds itself; a new one is a file and a line here. */
const commands = [
  acpCommand,
  auditCommand,
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
  presetsCommand,
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
Most commands ask a running service: SIGNALBOX_KEY holds a key (to manage with a management key, for interns an API key),
SIGNALBOX_URL the service's base URL (default: http://127.0.0.1:8080/api/v1). catalogue, config, database and
keys reset-management read the settings of the service instead (CONFIG, DATA_DIR, DATABASE_URL).
"signalbox help <command>" tells more.`

/** @returns the exit code: 0, or 1 after one sentence on what was wrong. */
export async function runCli(args: string[], given: Terminal): Promise<number> {
  const terminal = obeyingNobody(given)
  const program = new Command('signalbox')
    .description('A self-hosted model router with governed agents.')
    .version(version)
    .addHelpText('after', help)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
  addCommands(program, terminal)
  try {
    await program.parseAsync(upToUnknownCommand(program, args), { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const told = error instanceof StartupError || error instanceof Fault ? error.message : systemRefusal(error)
    if (told === undefined) throw error
    terminal.err(printable(told))
    return 1
  }
}

/**
 * Drops the arguments after an unknown command: with `--help` among them, Commander shows the help of the parent, not an
 * error. Replaces `help` before a command by `--help` after it: Commander ignores all but one word after `help`.
 */
function upToUnknownCommand(program: Command, args: string[]): string[] {
  let command = program
  for (const [at, argument] of args.entries()) {
    const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
    if (!isGroup || argument.startsWith('-')) return args
    if (argument === 'help') return upToUnknownCommand(program, [...args.toSpliced(at, 1), '--help'])
    const next = command.commands.find((one) => one.name() === argument)
    if (!next) return args.slice(0, at + 1)
    command = next
  }
  return args
}

/** What is printed may hold what anybody wrote: names of keys and files, what an intern left behind. */
function obeyingNobody({ out, err, ...terminal }: Terminal): Terminal {
  return { ...terminal, out: (text) => out(withoutControls(text)), err: (text) => err(withoutControls(text)) }
}
