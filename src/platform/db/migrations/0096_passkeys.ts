import type { Kysely } from 'kysely'

/** Passkeys of members, unused challenges, and the passkey that started a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('relying_party', 'text', (c) => c.notNull())
    // The signature counter of WebAuthn.
    .addColumn('signatures', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await db.schema.createIndex('passkeys_of_member').on('passkeys').columns(['organization_id', 'user_id']).execute()
  await db.schema
    .createTable('passkey_challenges')
    .addColumn('challenge_hash', 'text', (c) => c.primaryKey().notNull())
    // Null for a challenge of a sign-in, which is created before the member is known.
    .addColumn('user_id', 'text')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.alterTable('browser_sessions').addColumn('passkey_id', 'text').execute()
}
