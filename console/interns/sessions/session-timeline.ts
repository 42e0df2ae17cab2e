import type { InternEntry, InternSessionRequest } from '../../api/types.ts'

type TimelineItem = { entry: InternEntry } | { request: InternSessionRequest }

/**
 * Inserts the model requests of a session between the entries of its transcript, by the time at which each started. Empty until the
 * entries are loaded.
 */
export function timelineItems(
  entries: readonly InternEntry[] | undefined,
  requests: readonly InternSessionRequest[] = [],
): TimelineItem[] {
  if (!entries) return []
  const items: TimelineItem[] = []
  let next = 0
  for (const entry of entries) {
    for (; next < requests.length && isBefore(requests[next]!, entry); next++) items.push({ request: requests[next]! })
    items.push({ entry })
  }
  return [...items, ...requests.slice(next).map((request) => ({ request }))]
}

/** A prompt precedes the requests of its run, even if the clocks of server and host differ. */
const isBefore = (request: InternSessionRequest, entry: InternEntry) =>
  !(entry.type === 'prompt' && entry.run_id === request.run_id) && Date.parse(request.created_at) < Date.parse(entry.at)

type FileChanges = { path: string; diffs: string[] }

/** The files that completed tool calls changed, each with its diffs in the order of the changes. */
export function fileChanges(entries: readonly InternEntry[]): FileChanges[] {
  const byPath = new Map<string, FileChanges>()
  for (const entry of entries) {
    if (entry.type !== 'tool_call' || entry.status !== 'completed') continue
    for (const { path, diff } of entry.changes) {
      const file = byPath.get(path) ?? { path, diffs: [] }
      file.diffs.push(diff)
      byPath.set(path, file)
    }
  }
  return [...byPath.values()]
}
