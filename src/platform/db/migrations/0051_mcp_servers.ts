import type { Kysely } from 'kysely'

/** Servers of tools that interns use: as they are shown, and with their credentials, encrypted, and by which key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['mcp_servers', 'mcp_servers_sealed', 'mcp_servers_sealed_by'])
    await db.schema.alterTable('interns').addColumn(name, 'text').execute()
}
