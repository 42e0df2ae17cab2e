import { type Insertion, toStorableValue } from '#platform/db/rows/insert-rows.ts'
import type { Generation, RequestTag } from './generation.ts'

/** Longer values are ignored: they do not identify a group of requests. */
const maxValueLength = 128
/** Each tag is a row of the ledger. Tags above this number are ignored. */
const maxTags = 32

/**
 * Reads the tags of a request: the pairs of its metadata. The pair `tags` has several values, separated by commas, as LiteLLM's
 * clients send them. Names and values are normalized as in the ledger, because limits compare both.
 */
export function readRequestTags(
  metadata: Readonly<Record<string, string>> | null | undefined,
): RequestTag[] | undefined {
  if (!metadata) return undefined
  const tags = new Map<string, RequestTag>()
  for (const [key, text] of Object.entries(metadata)) {
    const name = toStorableValue(key)
    const parts = name === 'tags' ? text.split(',') : [text]
    for (const part of parts) {
      const value = toStorableValue(part.trim())
      // Name and value can contain any character. JSON separates them.
      if (value !== '' && value.length <= maxValueLength) tags.set(JSON.stringify([name, value]), [name, value])
    }
  }
  return tags.size > 0 ? [...tags.values()].slice(0, maxTags) : undefined
}

const columns = { generation_id: 'text', name: 'text', value: 'text', created_at: 'bigint' } as const

/** Creates the insertions of the tags of requests; none if the requests have no tags. */
export function createTagInsertions(generations: readonly Generation[]): Insertion[] {
  const rows = generations.flatMap(({ id, createdAt, tags }) =>
    (tags ?? []).map(([name, value]) => [id, name, value, createdAt]),
  )
  return rows.length === 0 ? [] : [{ table: 'request_tags', columns, rows }]
}
