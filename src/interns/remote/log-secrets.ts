import type { AgentChoice } from '../registry/intern.ts'
import type { McpServer } from '../registry/mcp-servers.ts'

/** A shorter one may stand in any text. */
const shortest = 4

/** What must not be seen of an intern's servers of tools: values of variables and headers, and queries of addresses. */
export function secretsOfServers(servers: McpServer[]): string[] {
  return servers.flatMap((server) => [
    ...Object.values(server.env ?? {}),
    ...Object.values(server.headers ?? {}).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]),
    ...(server.url ? [URL.parse(server.url)?.search.slice(1) ?? ''] : []),
  ])
}

export const secretsOfAgent = (agent: Exclude<AgentChoice, string> | undefined): string[] =>
  Object.values(agent?.env ?? {})

/** A text without these secrets, as they stand or as JSON writes them. */
export function withoutSecrets(text: string, secrets: string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  const longestFirst = [...new Set(forms)]
    .filter(({ length }) => length >= shortest)
    .sort((a, b) => b.length - a.length)
  if (longestFirst.length === 0) return text
  return text.replace(new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g'), '[secret]')
}
