import type { McpServer as OfferedServer } from '@agentclientprotocol/sdk'
import type { McpServer } from '#interns/registry/mcp-servers.ts'
import { member } from './connection.ts'

/**
 * The servers of tools as an agent is offered them with each session, by what it says that it can reach. `withheld`
 * names those that it cannot: an agent would refuse the session because of them.
 */
export function offeredServers(servers: McpServer[], abilities: unknown): { offered: object[]; withheld: string[] } {
  const can = member(abilities, 'mcpCapabilities')
  const reaches = ({ type }: McpServer) => type === 'stdio' || member(can, type) === true
  return {
    offered: servers.filter(reaches).map(inProtocol),
    withheld: servers.filter((server) => !reaches(server)).map(({ name }) => name),
  }
}

export type UnavailableServer = { server: string; reason: string }

/** The server that an update of the builtin agent reports as not available. */
export function unavailableServer(update: unknown): UnavailableServer | undefined {
  const reported = member(member(member(update, '_meta'), 'signalbox'), 'unavailableServer')
  const [server, reason] = [member(reported, 'name'), member(reported, 'reason')]
  return typeof server === 'string' && typeof reason === 'string' ? { server, reason } : undefined
}

function inProtocol(server: McpServer): OfferedServer {
  const { name, type, command = '', args = [], env = {}, url = '', headers = {}, readable, timeout_seconds } = server
  const _meta = { signalbox: { timeout_seconds, ...(readable && { readable }) } }
  if (type === 'stdio') return { name, command, args, env: listed(env), _meta }
  return { type, name, url, headers: listed(headers), _meta }
}

const listed = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))
