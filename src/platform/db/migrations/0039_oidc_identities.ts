import type { Kysely } from 'kysely'

/** The members of accounts at OIDC issuers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('oidc_identities')
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('oidc_identities_pk', ['organization_id', 'issuer', 'subject'])
    .addUniqueConstraint('oidc_identities_member', ['organization_id', 'issuer', 'user_id'])
    .execute()
}
