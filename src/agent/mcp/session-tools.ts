import type { McpServer } from '@agentclientprotocol/sdk'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { specOf } from './server-spec.ts'
import { placeFor, ServerTools } from './server-tools.ts'

/** The tools of the servers that a session was offered. */
export type SessionTools = {
  /** Starts what is not there. `notes` tell the model which servers it goes without, and why. */
  offer: (
    where: Pick<ToolContext, 'mode' | 'shell' | 'workspace'>,
    signal: AbortSignal,
  ) => Promise<{ tools: Tool[]; notes: string[] }>
  /** The session has ended, or was idle for long: what is wanted again is started again. */
  close: () => Promise<void>
}

export function sessionTools(offered: McpServer[], now: () => number, fetch = globalThis.fetch): SessionTools {
  const servers = offered.map((server) => new ServerTools(specOf(server), now, fetch))
  return {
    async offer(where, signal) {
      if (servers.length === 0) return { tools: [], notes: [] }
      const place = await placeFor(where)
      const all = await Promise.all(
        servers.map(async (server) => {
          try {
            const { tools, note } = await server.tools(place, signal)
            return { tools, notes: note ? [`Of the server of tools ${server.spec.name}, ${note}.`] : [] }
          } catch (error) {
            signal.throwIfAborted()
            return { tools: [], notes: [`You go without the tools of a server now: ${(error as Error).message}`] }
          }
        }),
      )
      return { tools: all.flatMap(({ tools }) => tools), notes: all.flatMap(({ notes }) => notes) }
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}
