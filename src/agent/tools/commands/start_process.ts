import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'
import { commandInput, decideLocation, notAllowedMessage } from './shell.ts'

export const startProcess = defineTool({
  name: 'start_process',
  description: [
    'Start a command that runs while you do other things, such as a development server, a watcher or a long build,',
    'and get its name. Read what it prints with read_process, and end it with stop_process; it also ends with the',
    'session. It runs where the shell does: in a sandbox it has no network, and other commands cannot connect to it.',
    'Use shell for what ends by itself soon.',
  ].join(' '),
  kind: 'execute',
  handlesPermission: true,
  runsAlone: true,
  input: z.object({
    command: commandInput,
    unsandboxed: z.boolean().optional().describe('Ask to run this outside the sandbox.'),
    reason: z.string().optional().describe('With unsandboxed: why this cannot be done in the sandbox.'),
  }),
  title: ({ command }) => command,
  async run(input, context) {
    const location = await decideLocation(input, context)
    if (location === 'refused') return notAllowedMessage
    const options = { workspace: context.workspace.root, sandbox: location === 'inside' }
    const id = await context.processes.start(context.shell, input.command, options)
    return `Started as ${id}. read_process returns its output and whether it still runs.`
  },
})
