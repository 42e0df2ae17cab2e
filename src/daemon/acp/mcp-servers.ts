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

function inProtocol(server: McpServer): OfferedServer {
  const { name, type, command = '', args = [], env = {}, url = '', headers = {} } = server
  const _meta = { signalbox: { timeout_seconds: server.timeout_seconds } }
  if (type === 'stdio') return { name, command, args, env: listed(env), _meta }
  return { type, name, url, headers: listed(headers), _meta }
}

const listed = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }))
