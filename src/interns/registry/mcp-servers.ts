import type { Vault } from '#identity/provider-keys/vault.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import { defaultTimeoutSeconds, type McpServer, type McpServerType, type NewMcpServer } from './mcp-server-schema.ts'

/** Replaces a secret in responses. Sent back for an otherwise unchanged server, it keeps the stored value. */
const hiddenValue = '********'

export type McpServerColumns = {
  mcp_servers: string | null
  mcp_servers_sealed: string | null
  mcp_servers_sealed_by: string | null
}

const noServerColumns: McpServerColumns = { mcp_servers: null, mcp_servers_sealed: null, mcp_servers_sealed_by: null }

/**
 * The stored columns of an intern's servers, encrypted for this intern alone. `before`: the stored servers.
 * @throws Fault `invalid` for a value that should be kept, but is not stored.
 */
export function toMcpServerColumns(
  vault: Vault,
  internId: string,
  newServers: NewMcpServer[] | undefined,
  before: McpServer[] = [],
): McpServerColumns {
  if (!newServers?.length) return noServerColumns
  const servers = newServers.map((server, index) =>
    withStoredValues(withDefaults(server), before, `mcp_servers[${index}]`),
  )
  return {
    mcp_servers: JSON.stringify(servers.map(publicServer)),
    mcp_servers_sealed: vault.seal(JSON.stringify(servers), encryptionContext(internId)),
    mcp_servers_sealed_by: vault.keyName,
  }
}

/** An intern's servers with their secrets, for its daemon. */
export async function readMcpServers(
  { db, vault }: { db: { query: Query | Tx }; vault: Vault },
  internId: string,
): Promise<McpServer[]> {
  const row = await db.query
    .selectFrom('interns')
    .where('id', '=', internId)
    .select('mcp_servers_sealed')
    .executeTakeFirst()
  return row?.mcp_servers_sealed ? JSON.parse(vault.open(row.mcp_servers_sealed, encryptionContext(internId))) : []
}

const encryptionContext = (internId: string) => `mcp servers of ${internId}`

function withDefaults({
  name,
  type,
  command,
  args,
  env,
  readable,
  url,
  headers,
  timeout_seconds,
}: NewMcpServer): McpServer {
  const timeout = { timeout_seconds: timeout_seconds ?? defaultTimeoutSeconds }
  if (command !== undefined) {
    const program = { command, args: args ?? [], env: env ?? {}, ...(readable?.length && { readable }) }
    return { name, type: 'stdio', ...program, ...timeout }
  }
  // The schema requires a URL if there is no command, and excludes the type `stdio`.
  return { name, type: (type ?? 'http') as McpServerType, url: url ?? '', headers: headers ?? {}, ...timeout }
}

function publicServer(server: McpServer): McpServer {
  const { url, env, headers, ...shown } = server
  const result: McpServer = shown
  if (env) result.env = hideValues(env)
  if (url !== undefined) result.url = publicUrl(url)
  if (headers) result.headers = hideValues(headers)
  return result
}

const hideValues = (values: Record<string, string>) =>
  Object.fromEntries(Object.keys(values).map((name) => [name, hiddenValue]))

function publicUrl(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}${pathname}${search ? `?${hiddenValue}` : ''}`
}

/**
 * Replaces hidden values by the stored ones, only for an unchanged server: otherwise a member could send the secrets to
 * another address.
 */
function withStoredValues(server: McpServer, before: McpServer[], at: string): McpServer {
  const storedServer = before.find(
    (stored) => stored.name === server.name && recipientOf(stored) === recipientOf(server),
  )
  const storedValues = (field: 'env' | 'headers') => {
    const values = server[field]
    if (!values) return {}
    const entries = Object.entries(values).map(([name, value]) => {
      if (value !== hiddenValue) return [name, value]
      const stored = storedServer?.[field]?.[name]
      if (stored !== undefined) return [name, stored]
      throw noStoredValue(`${at}.${field}.${name}`)
    })
    return { [field]: Object.fromEntries(entries) }
  }
  if (!server.url?.endsWith(`?${hiddenValue}`)) return { ...server, ...storedValues('env'), ...storedValues('headers') }
  if (!storedServer?.url) throw noStoredValue(`${at}.url`)
  return { ...server, ...storedValues('headers'), url: storedServer.url }
}

const noStoredValue = (where: string) =>
  new Fault(
    'invalid',
    `Invalid request: ${where}: "${hiddenValue}" keeps the stored value of an unchanged server, but none is stored: send the value`,
  )

/** The recipient of the secret values: a program with its arguments, or a URL. Equal strings are the same recipient. */
const recipientOf = ({ type, command, args, url }: McpServer) =>
  JSON.stringify([type, command, args, url && publicUrl(url)])
