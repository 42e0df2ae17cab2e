import { z } from '#platform/json/schema.ts'
import { defineTool } from '../tool.ts'
import { commandInput, decideLocation, notAllowedMessage } from './shell.ts'

export const startProcess = defineTool({
  name: 'start_process',
  description: [
    'Start a command in the background, such as a development server, a watcher or a long build, and get the name of the',
    'process. Read its output with read_process, and end it with stop_process; it also ends with the session. It runs in',
    'the same environment as commands of shell: in a sandbox it has no network, and other commands cannot connect to it.',
    'For a command that ends soon, use shell.',
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
    const { workspace, signal } = context
    const options = { workspace: workspace.root, sandbox: location === 'inside', signal }
    const id = await context.processes.start(context.shell, input.command, options)
    return `Started as ${id}. read_process returns its output and whether it still runs.`
  },
})
