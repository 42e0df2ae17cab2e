import { type ListSessionsResponse, RequestError, type SessionUpdate } from '@agentclientprotocol/sdk'
import type { z } from 'zod'
import type { EntryItem, InternSession } from '#interns/turns/entry-item.ts'
import { type ApiClient, ServiceError } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { activityUpdate, textContent } from './updates.ts'

type InternAccess = { client: ApiClient; intern: string }
type Page<Data> = { data: Data; has_more: boolean; next_cursor?: string }
type ListedSession = z.infer<typeof InternSession>

/** The ids that `session/new` creates. The service stores a session only when its first prompt arrives. */
const newSessionId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Reads the transcript of a session as updates for the editor. @throws RequestError for an unknown session */
export async function readHistory({ client, intern }: InternAccess, sessionId: string): Promise<SessionUpdate[]> {
  const updates: SessionUpdate[] = []
  for (let cursorParameter = ''; ; ) {
    const path = internPath(intern, `/sessions/${encodeURIComponent(sessionId)}?limit=100${cursorParameter}`)
    const page = await client.request<Page<{ entries: EntryItem[] }>>('GET', path).catch((error) => {
      if (!(error instanceof ServiceError && error.status === 404)) throw error
      if (!newSessionId.test(sessionId)) throw RequestError.resourceNotFound(sessionId)
    })
    if (!page) return updates
    const { data, has_more, next_cursor } = page
    updates.push(...data.entries.flatMap(toUpdates))
    if (!has_more || !next_cursor) return updates
    cursorParameter = `&starting_after=${encodeURIComponent(next_cursor)}`
  }
}

function toUpdates(entry: EntryItem): SessionUpdate[] {
  switch (entry.type) {
    case 'prompt':
      return [{ sessionUpdate: 'user_message_chunk', content: textContent(entry.text) }]
    case 'message':
      return [{ sessionUpdate: 'agent_message_chunk', content: textContent(entry.text) }]
    case 'reasoning':
      return [{ sessionUpdate: 'agent_thought_chunk', content: textContent(entry.text) }]
    case 'tool_call':
    case 'plan':
      return [activityUpdate(entry, { isNew: true })]
    default:
      return []
  }
}

/** @param cwd the editor's folder; the folder of the intern is not reachable for the editor */
export async function readSessions(
  { client, intern }: InternAccess,
  cursor: string | null | undefined,
  cwd: string,
): Promise<ListSessionsResponse> {
  const cursorParameter = cursor ? `&starting_after=${encodeURIComponent(cursor)}` : ''
  const path = internPath(intern, `/sessions?limit=100${cursorParameter}`)
  const { data, next_cursor } = await client.request<Page<ListedSession[]>>('GET', path)
  const sessions = data.map(({ id, title, updated_at }) => ({ sessionId: id, cwd, title, updatedAt: updated_at }))
  return { sessions, ...(next_cursor && { nextCursor: next_cursor }) }
}
