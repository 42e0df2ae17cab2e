import type { RequestTag } from './generation.ts'

/** The ways to group requests: by session, or by the values of one tag. */
export type Grouping = { by: 'session' } | { by: 'tag'; name: string }

/** The session and the tags of a request. */
export type RequestGroups = { sessionId: string | undefined; tags: readonly RequestTag[] | undefined }

/** The groups of a request: its session, or each value that it has for the tag. Empty if it has none. */
export function groupValues(grouping: Grouping, { sessionId, tags = [] }: RequestGroups): string[] {
  if (grouping.by === 'session') return sessionId === undefined ? [] : [sessionId]
  return tags.flatMap(([name, value]) => (name === grouping.name ? [value] : []))
}
