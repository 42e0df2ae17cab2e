import { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, internsHelp } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'

export function acpCommand(program: Command, terminal: Terminal): void {
  program
    .command('acp')
    .description('carry an intern to an editor: speak the Agent Client Protocol on standard input and output')
    .argument('<intern>', 'its name or id')
    .addHelpText('after', internsHelp)
    .action(async (intern: string) => {
      const screen = terminal.screen?.()
      if (!screen) throw new StartupError('There is no standard input to speak the protocol on.')
      const client = apiClient(terminal.env, 'api')
      // Nobody else pays for loading the protocol.
      const [{ ndJsonStream }, { internAgent }] = await Promise.all([
        import('@agentclientprotocol/sdk'),
        import('./agent.ts'),
      ])
      const streams = [Writable.toWeb(screen.output), Readable.toWeb(screen.input)] as const
      const stream = ndJsonStream(streams[0], streams[1] as ReadableStream<Uint8Array>)
      await internAgent({ client, intern }).connect(stream).closed
    })
}
