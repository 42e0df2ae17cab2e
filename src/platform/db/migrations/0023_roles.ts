import type { Kysely } from 'kysely'
import { sql } from '../kysely.ts'

/** Makes the oldest admin an owner, and adds an index of requests by member. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update memberships set role = 'owner' where role = 'admin' and left_at is null and not exists (
    select 1 from memberships o where o.organization_id = memberships.organization_id
      and o.role in ('admin', 'owner') and o.left_at is null
      and (o.joined_at < memberships.joined_at or (o.joined_at = memberships.joined_at and o.user_id < memberships.user_id)))`.execute(
    db,
  )
  await db.schema.createIndex('generations_by_user').on('generations').columns(['user_id', 'created_at']).execute()
}
