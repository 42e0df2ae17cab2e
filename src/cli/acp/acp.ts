import { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { UserFacingError } from '#platform/core/fault.ts'
import { apiKeyHelp, createApiClient } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'

export function acpCommand(command: Command, terminal: Terminal): void {
  command
    .argument('<intern>', 'Name or ID of the intern')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string) => {
      const screen = terminal.screen?.()
      if (!screen) throw new UserFacingError('Standard input is not available.')
      const client = createApiClient(terminal.env, 'api')
      // Loaded here, so that other commands start without the protocol library.
      const [{ ndJsonStream }, { internAgent }] = await Promise.all([
        import('@agentclientprotocol/sdk'),
        import('./agent.ts'),
      ])
      const streams = [Writable.toWeb(screen.output), Readable.toWeb(screen.input)] as const
      const stream = ndJsonStream(streams[0], streams[1] as ReadableStream<Uint8Array>)
      await internAgent({ client, intern }).connect(stream).closed
    })
}
