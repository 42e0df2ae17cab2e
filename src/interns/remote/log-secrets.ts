import { findUrlSecrets } from '#platform/net/url-secrets.ts'
import type { AgentChoice } from '../registry/intern.ts'
import type { McpServer } from '../registry/mcp-server-schema.ts'

/** Shorter secrets are not removed, because they can occur in any text by chance. */
const minSecretLength = 4

/**
 * The secrets of MCP servers: values of variables and headers (also without a scheme such as `Bearer`), and the user, query and
 * tokens of URLs.
 */
export function findServerSecrets(servers: McpServer[]): string[] {
  return servers.flatMap((server) => [
    ...Object.values(server.env ?? {}),
    ...Object.values(server.headers ?? {}).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]),
    ...findUrlSecrets(server.url ?? ''),
  ])
}

export const findAgentSecrets = (agent: Exclude<AgentChoice, string> | undefined): string[] =>
  Object.values(agent?.env ?? {})

/** Removes secrets from a text, plain or escaped for JSON. */
export function redactSecrets(text: string, secrets: string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  const longestFirst = [...new Set(forms)]
    .filter(({ length }) => length >= minSecretLength)
    .sort((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return text
  return text.replace(new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g'), '[secret]')
}
