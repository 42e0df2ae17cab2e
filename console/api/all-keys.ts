import { call } from './client.ts'
import { fetchAllPages } from './pages.ts'
import { type Resource, useResource } from './resource.ts'
import { useSession } from './session.ts'
import type { Key, Session } from './types.ts'
import { workspaceInAddress } from './workspace-path.ts'

/** Whether the session can list keys. A session of an API key can read only that key. */
export const canListKeys = (me: Pick<Session, 'role' | 'method'> | undefined) =>
  me !== undefined && (me.role !== 'developer' || me.method !== 'key')

/** Whether the session can read all data of the organization. */
export const canSeeAll = (me: Pick<Session, 'role'> | undefined) => me !== undefined && me.role !== 'developer'

/** All enabled keys of all workspaces that the session can read. */
export function useAllKeys(): Resource<Key[]> {
  const me = useSession()
  return useResource(canListKeys(me) ? 'all of /keys of all workspaces' : undefined, async (signal) => {
    if (!canSeeAll(me) || workspaceInAddress() !== undefined) return keysOf(undefined, signal)
    const workspaces = await fetchAllPages((query) => call('GET /workspaces', { query }, { signal }))
    return (await Promise.all(workspaces.map(({ id }) => keysOf(id, signal)))).flat()
  })
}

const keysOf = (workspaceId: string | undefined, signal: AbortSignal) =>
  fetchAllPages((query) =>
    call('GET /keys', { query: { ...query, ...(workspaceId && { workspace_id: workspaceId }) } }, { signal }),
  )
