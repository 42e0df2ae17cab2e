import { Command, CommanderError } from 'commander'
import { Fault, StartupError } from '#lib/fault.ts'
import { printable, withoutControls } from '#lib/printable.ts'
import { systemRefusal } from '#lib/system-error.ts'
import { version } from '#lib/version.ts'
import { acpCommand } from './acp.ts'
import { auditCommand } from './audit.ts'
import { catalogueCommand } from './catalogue.ts'
import { chatCommand } from './chat.ts'
import { configCommand } from './config.ts'
import { databaseCommand } from './database.ts'
import { guardrailsCommand } from './guardrails.ts'
import { importCommand } from './import.ts'
import { internsCommand } from './interns.ts'
import { keysCommand } from './keys.ts'
import { membersCommand } from './members.ts'
import { openapiCommand } from './openapi.ts'
import { presetsCommand } from './presets.ts'
import { requestsCommand } from './requests.ts'
import { sessionsCommand } from './sessions.ts'
import type { Terminal } from './terminal.ts'
import { usageCommand } from './usage.ts'
import { webhooksCommand } from './webhooks.ts'
import { workspacesCommand } from './workspaces.ts'

/** Every command adds itself; a new one is a file and a line here. */
const commands = [
  acpCommand,
  auditCommand,
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
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const told = error instanceof StartupError || error instanceof Fault ? error.message : systemRefusal(error)
    if (told === undefined) throw error
    terminal.err(printable(told))
    return 1
  }
}

/** What is printed may hold what anybody wrote: names of keys and files, what an intern left behind. */
function obeyingNobody({ out, err, ...terminal }: Terminal): Terminal {
  return { ...terminal, out: (text) => out(withoutControls(text)), err: (text) => err(withoutControls(text)) }
}
