import type { McpServer } from '@agentclientprotocol/sdk'
import type { Tool, ToolContext } from '../tools/tool.ts'
import type { RunLocation } from './connect-server.ts'
import { toServerSpec } from './server-spec.ts'
import { findRunLocation, type ServerDeps, ServerTools } from './server-tools.ts'

/** A server whose tools are not available in a turn. */
export type UnavailableServer = { server: string; reason: string }

type ToolOffer = { tools: Tool[]; notes: string[]; unavailable: UnavailableServer[] }

/** The tools of a session's MCP servers. */
export type SessionTools = {
  /**
   * Starts stopped servers and returns at most `maxTools` tools. `notes` name the missing tools for the model, with the reasons.
   */
  listTools: (
    context: Pick<ToolContext, 'mode' | 'shell' | 'workspace'>,
    maxTools: number,
    signal: AbortSignal,
  ) => Promise<ToolOffer>
  /** Ends the servers after the session has ended or was idle. The next `listTools` restarts them. */
  close: () => Promise<void>
}

export function createSessionTools(mcpServers: McpServer[], deps: ServerDeps): SessionTools {
  const servers = mcpServers.map((server) => new ServerTools(toServerSpec(server), deps))
  return {
    async listTools(context, maxTools, signal) {
      if (servers.length === 0) return { tools: [], notes: [], unavailable: [] }
      const location = await findRunLocation(context)
      const lists = await Promise.all(servers.map((server) => listServerTools(server, location, signal)))
      const shares = shareTools(
        lists.map(({ tools }) => tools.length),
        maxTools,
      )
      const notes = lists.flatMap((list, at) => describeMissingTools(list, shares[at] ?? 0))
      const unavailable = lists.flatMap(({ name, failure }) =>
        failure === undefined ? [] : [{ server: name, reason: failure }],
      )
      return { tools: lists.flatMap(({ tools }, at) => tools.slice(0, shares[at])), notes, unavailable }
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}

type ServerList = { name: string; tools: Tool[]; excluded: string[]; failure?: string }

async function listServerTools(server: ServerTools, location: RunLocation, signal: AbortSignal): Promise<ServerList> {
  const { name } = server.spec
  try {
    return { name, ...(await server.tools(location, signal)) }
  } catch (error) {
    signal.throwIfAborted()
    return { name, tools: [], excluded: [], failure: (error as Error).message }
  }
}

/** Returns how many tools of each list fit into `maxTools`: short lists are complete, long ones share the rest. */
function shareTools(lengths: number[], maxTools: number): number[] {
  const shares = lengths.map(() => 0)
  let remaining = maxTools
  const ascending = lengths.map((length, at) => ({ length, at })).sort((one, other) => one.length - other.length)
  for (const [count, { length, at }] of ascending.entries()) {
    const share = Math.min(length, Math.floor(remaining / (lengths.length - count)))
    shares[at] = share
    remaining -= share
  }
  return shares
}

const maxListed = 20

function describeMissingTools({ name, tools, excluded, failure }: ServerList, share: number): string[] {
  if (failure !== undefined) return [`The tools of a server are not available now: ${failure}`]
  const excess = tools.slice(share).map((tool) => tool.name)
  const formatNames = (names: string[]) =>
    names.slice(0, maxListed).join(', ') + (names.length > maxListed ? ` and ${names.length - maxListed} more` : '')
  const notes: string[] = []
  if (excluded.length > 0) notes.push(`The server ${name} has tools that cannot be used: ${formatNames(excluded)}.`)
  if (excess.length > 0)
    notes.push(`There are too many tools, so these of the server ${name} are excluded: ${formatNames(excess)}.`)
  return notes
}
