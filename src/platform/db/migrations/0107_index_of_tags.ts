import type { Kysely } from 'kysely'

/** Finds the requests with one value of a tag, for limits of tags. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('request_tags_value')
    .on('request_tags')
    .columns(['name', 'value', 'created_at'])
    .execute()
}
