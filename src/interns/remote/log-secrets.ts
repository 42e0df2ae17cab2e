import type { AgentChoice } from '../registry/intern.ts'
import type { McpServer } from '../registry/mcp-server-schema.ts'

/** A shorter secret can occur in any text by chance. */
const minLength = 4

/** The secrets of MCP servers: values of variables and headers, and queries of URLs. */
export function secretsOfServers(servers: McpServer[]): string[] {
  return servers.flatMap((server) => [
    ...Object.values(server.env ?? {}),
    ...Object.values(server.headers ?? {}).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]),
    ...(server.url ? [URL.parse(server.url)?.search.slice(1) ?? ''] : []),
  ])
}

export const secretsOfAgent = (agent: Exclude<AgentChoice, string> | undefined): string[] =>
  Object.values(agent?.env ?? {})

/** Removes secrets from a text, plain or escaped for JSON. */
export function withoutSecrets(text: string, secrets: string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  const longestFirst = [...new Set(forms)]
    .filter(({ length }) => length >= minLength)
    .sort((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return text
  return text.replace(new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g'), '[secret]')
}
