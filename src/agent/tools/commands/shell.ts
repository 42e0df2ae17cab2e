import { z } from '#platform/json/schema.ts'
import type { CommandResult } from '../../sandbox/command.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { reportProgress } from './command-progress.ts'
import { addHints } from './shell-hints.ts'

/** Enough for most builds and tests, without a long wait for a command that hangs. */
const defaultTimeoutSeconds = 120
const maxTimeoutSeconds = 900

export const notAllowedMessage = 'The user, or a rule, did not allow this command. It was not run. Continue without it.'

/** Linux accepts arguments of up to 128 KiB. */
const maxCommandBytes = 100_000

export const commandInput = z
  .string()
  .min(1)
  .refine((command) => !command.includes('\0'), 'must not contain null characters')
  .refine(
    (command) => Buffer.byteLength(command) <= maxCommandBytes,
    `must have at most ${maxCommandBytes} bytes: write the script to a file with write_file, and run that`,
  )
  .describe('The bash command line or script.')

export const shell = defineTool({
  name: 'shell',
  description: [
    'Run a command with bash in the workspace folder, and get its output and exit code. Each call starts a new shell in',
    'the workspace, so only changes of files persist between calls. A command has no terminal and no standard input: do',
    'not start editors, pagers or programs that ask questions. Background processes are killed when the command ends.',
    'Long output is cut in the middle. Prefer read_file, edit_file, list_files and search for work with files; use the',
    'shell to build, to test, and to inspect with git. Commands may run in a sandbox without network, in which they can',
    'write only to the workspace and to /tmp, and in which /tmp is empty in each call. Set unsandboxed only if a command',
    'needs more, such as the network or other files, and give the reason: a person decides.',
  ].join(' '),
  kind: 'execute',
  runsAlone: true,
  handlesPermission: true,
  input: z.object({
    command: commandInput,
    timeout_seconds: z
      .int()
      .min(1)
      .max(maxTimeoutSeconds)
      .optional()
      .describe(`The time limit. Defaults to ${defaultTimeoutSeconds}.`),
    unsandboxed: z.boolean().optional().describe('Ask to run this outside the sandbox.'),
    reason: z.string().optional().describe('With unsandboxed: why this cannot be done in the sandbox.'),
  }),
  title: ({ command }) => command,
  async run(input, context) {
    const location = await decideLocation(input, context)
    if (location === 'refused') return notAllowedMessage
    const seconds = input.timeout_seconds ?? defaultTimeoutSeconds
    const { workspace, signal } = context
    const progress = reportProgress(context.notifyProgress)
    const limits = { sandbox: location === 'inside', timeoutMs: seconds * 1000, signal }
    const options = { ...limits, workspace: workspace.root, onOutput: progress.add }
    try {
      return addHints(input.command, formatResult(await context.shell.run(input.command, options), seconds))
    } finally {
      progress.stop()
    }
  },
})

/**
 * Decides where the command may run. In `self-drive` it runs outside the sandbox. In `manual` it runs in the sandbox, or outside
 * with the permission `shell.escalate`. If the sandbox is not available, the user is asked, and the question says so.
 */
export async function decideLocation(
  input: { command: string; unsandboxed?: boolean | undefined; reason?: string | undefined },
  context: ToolContext,
): Promise<'inside' | 'outside' | 'refused'> {
  const { shell, requestPermission } = context
  const commandRequest = { operation: 'shell', title: input.command }
  if (context.mode === 'self-drive') return (await requestPermission(commandRequest)) ? 'outside' : 'refused'
  if (shell.sandboxFallback === 'pod') {
    const title = `In the intern's pod, which is its sandbox: ${input.command}`
    return (await requestPermission({ operation: 'shell', title })) ? 'outside' : 'refused'
  }
  const sandboxError = await shell.sandboxError(context.workspace.root)
  if (sandboxError && shell.sandboxFallback === 'refuse') {
    const title = `The sandbox is not available, so this is not run even if it is allowed: ${input.command}`
    if (!(await requestPermission({ operation: 'shell', title }))) return 'refused'
    throw new Error(
      'The command was not run, though it was allowed: the sandbox is not available, and the operator allows no command ' +
        `without it (setting "without_sandbox"). Inform the user. The file tools work. Reason: ${sandboxError}`,
    )
  }
  if (sandboxError) {
    const title = `The sandbox is not available, so this runs without one: ${input.command}`
    return (await requestPermission({ operation: 'shell.escalate', title })) ? 'outside' : 'refused'
  }
  if (!input.unsandboxed) return (await requestPermission(commandRequest)) ? 'inside' : 'refused'
  const reason = input.reason ? ` (${input.reason})` : ''
  const title = `Outside the sandbox: ${input.command}${reason}`
  return (await requestPermission({ operation: 'shell.escalate', title })) ? 'outside' : 'refused'
}

const stopMessages = {
  cancelled: 'Cancelled.',
  output: 'Killed: it printed more than 64 MiB.',
  processes: 'Killed: it started too many processes.',
  memory: 'Killed: it used too much memory.',
}

const timeoutMessage = (seconds: number) =>
  `Killed after ${seconds} s. For a command that does not end by itself, such as a server, use start_process. For a command that takes longer, set a larger timeout_seconds.`

function formatResult({ end, output, errorOutput }: CommandResult, seconds: number): string {
  const printed = [output.trimEnd(), errorOutput.trimEnd()].filter(Boolean).join('\n')
  const body = printed || '(no output)'
  if (end.kind === 'exited') return `${body}\n[exit code ${end.code}]`
  if (end.kind === 'signalled') return `${body}\n[killed by ${end.signal}]`
  return `${body}\n[${end.reason === 'timeout' ? timeoutMessage(seconds) : stopMessages[end.reason]}]`
}
