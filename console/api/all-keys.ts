import { call } from './client.ts'
import { everyPage } from './pages.ts'
import { type Resource, useResource } from './resource.ts'
import { useMe } from './session.ts'
import type { Key, Session } from './types.ts'

/** Whether a list of keys is told at all: an API key that was pasted knows of itself alone. */
export const seesKeys = (me: Pick<Session, 'role' | 'method'> | undefined) =>
  me !== undefined && (me.role !== 'developer' || me.method !== 'key')

/** Whether what is the organization's is told, and not only what is one's own. */
export const seesAll = (me: Pick<Session, 'role'> | undefined) => me !== undefined && me.role !== 'developer'

/** All keys that are in use and that this session may see, of whatever workspace. */
export function useEveryKey(): Resource<Key[]> {
  const me = useMe()
  return useResource(seesKeys(me) ? 'all of /keys of all workspaces' : undefined, async (signal) => {
    if (!seesAll(me)) return keysOf(undefined, signal)
    const workspaces = await everyPage((query) => call('GET /workspaces', { query }, { signal }))
    return (await Promise.all(workspaces.map(({ id }) => keysOf(id, signal)))).flat()
  })
}

const keysOf = (workspaceId: string | undefined, signal: AbortSignal) =>
  everyPage((query) =>
    call('GET /keys', { query: { ...query, ...(workspaceId && { workspace_id: workspaceId }) } }, { signal }),
  )
