import type { Kysely } from 'kysely'

/** The MCP servers of interns without credentials, and with credentials, encrypted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['mcp_servers', 'mcp_servers_sealed', 'mcp_servers_sealed_by'])
    await db.schema.alterTable('interns').addColumn(name, 'text').execute()
}
