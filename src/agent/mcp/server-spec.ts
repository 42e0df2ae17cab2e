import { isAbsolute } from 'node:path'
import type { McpServer } from '@agentclientprotocol/sdk'

/**
 * An MCP server as configured by the client of the agent. `secrets` are the credentials in its environment, headers and URL;
 * `redactSecrets` removes them from every text for the model.
 */
export type McpServerSpec = { name: string; timeoutMs: number; secrets: string[] } & (
  | { type: 'stdio'; command: string; args: string[]; env: [name: string, value: string][]; readable: string[] }
  | { type: 'http' | 'sse'; url: string; headers: [name: string, value: string][] }
)

const defaultTimeoutMs = 60_000

/** Reads a server as ACP passes it. `_meta.signalbox` has the timeout of a call and additional readable paths. */
export function toServerSpec(server: McpServer): McpServerSpec {
  const name = server.name
  const timeoutMs = readTimeoutMs(server._meta)
  if ('command' in server) {
    const env = toPairs(server.env)
    return {
      name,
      type: 'stdio',
      timeoutMs,
      command: server.command,
      args: server.args,
      env,
      readable: readReadablePaths(server._meta),
      secrets: findSecrets(env),
    }
  }
  // Clients send only servers of the transports that `initialize` offers.
  const { url } = server as { url: string }
  const headers = toPairs((server as { headers: Pair[] }).headers)
  const type = 'type' in server && server.type === 'sse' ? 'sse' : 'http'
  const query = [...new URL(url).searchParams] as [string, string][]
  return { name, type, timeoutMs, url, headers, secrets: findSecrets([...headers, ...query]) }
}

type Pair = { name: string; value: string }
const toPairs = (list: Pair[]) => list.map(({ name, value }): [string, string] => [name, value])

/** Shorter values are not treated as secrets, because they would match in any text. */
const shortestSecret = 8

/** Returns the values and the second words of values such as `Bearer x`, longest first: one can contain another. */
function findSecrets(values: [string, string][]): string[] {
  return values
    .flatMap(([, value]) => [value, value.split(' ')[1] ?? ''])
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length)
}

/** Removes the credentials of a server from a text. */
export function redactSecrets({ secrets }: McpServerSpec, text: string): string {
  return secrets.reduce((remainingText, secret) => remainingText.replaceAll(secret, '********'), text)
}

function readTimeoutMs(meta: Record<string, unknown> | null | undefined): number {
  const seconds = (meta?.signalbox as { timeout_seconds?: unknown } | undefined)?.timeout_seconds
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : defaultTimeoutMs
}

/** Returns the additional paths that the server can read in the sandbox. */
function readReadablePaths(meta: Record<string, unknown> | null | undefined): string[] {
  const paths = (meta?.signalbox as { readable?: unknown } | undefined)?.readable
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string' && isAbsolute(path)) : []
}
