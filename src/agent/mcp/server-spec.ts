import { isAbsolute } from 'node:path'
import type { McpServer } from '@agentclientprotocol/sdk'
import { findUrlSecrets } from '#platform/net/url-secrets.ts'

/**
 * An MCP server as configured by the client of the agent. `secrets` are the credentials in its environment, headers and URL
 * (user, query and tokens of the path), in all encodings. `redactSecrets` removes them from every text for the model.
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
      secrets: toSecrets(env.flatMap(listValueSecrets)),
    }
  }
  // Only `http` and `sse` remain, because `initialize` offers no other transports.
  const { url } = server as { url: string }
  const headers = toPairs((server as { headers: Pair[] }).headers)
  const type = 'type' in server && server.type === 'sse' ? 'sse' : 'http'
  const secrets = toSecrets([...headers.flatMap(listValueSecrets), ...findUrlSecrets(url)])
  return { name, type, timeoutMs, url, headers, secrets }
}

type Pair = { name: string; value: string }
const toPairs = (list: Pair[]) => list.map(({ name, value }): [string, string] => [name, value])

/** Shorter values are not treated as secrets, because they would match in any text. */
const minSecretLength = 8

/** Returns the value of a variable or header, and its second word for values such as `Bearer x`. */
const listValueSecrets = ([, value]: [string, string]) => [value, value.split(' ')[1] ?? '']

/** Returns the values as they are, percent-encoded and escaped for JSON. Longest first, because one can contain another. */
function toSecrets(values: string[]): string[] {
  const forms = values
    .filter((value) => value.length >= minSecretLength)
    .flatMap((value) => [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)])
  return [...new Set(forms)].sort((one, other) => other.length - one.length)
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
