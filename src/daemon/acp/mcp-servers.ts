import type { McpServer as OfferedServer } from '@agentclientprotocol/sdk'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { readProperty } from './rpc-message.ts'

/**
 * The MCP servers that an agent is offered with each session. `unsupported` has the names of the servers whose transport the
 * agent does not support: the agent would refuse the session because of them.
 */
export function selectSupportedServers(
  servers: McpServer[],
  capabilities: unknown,
): { supported: object[]; unsupportedNames: string[] } {
  const transports = readProperty(capabilities, 'mcpCapabilities')
  const isSupported = ({ type }: McpServer) => type === 'stdio' || readProperty(transports, type) === true
  return {
    supported: servers.filter(isSupported).map(toProtocol),
    unsupportedNames: servers.filter((server) => !isSupported(server)).map(({ name }) => name),
  }
}

export type UnavailableServer = { server: string; reason: string }

/** The server that an update of the builtin agent reports as not available. */
export function readUnavailableServer(update: unknown): UnavailableServer | undefined {
  const report = readProperty(readProperty(readProperty(update, '_meta'), 'signalbox'), 'unavailableServer')
  const server = readProperty(report, 'name')
  const reason = readProperty(report, 'reason')
  return typeof server === 'string' && typeof reason === 'string' ? { server, reason } : undefined
}

function toProtocol(server: McpServer): OfferedServer {
  const { name, type, command = '', args = [], env = {}, url = '', headers = {}, readable, timeout_seconds } = server
  const _meta = { signalbox: { timeout_seconds, readable } }
  if (type === 'stdio') return { name, command, args, env: toNameValueList(env), _meta }
  return { type, name, url, headers: toNameValueList(headers), _meta }
}

const toNameValueList = (values: Record<string, string>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
