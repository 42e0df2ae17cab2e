import { call } from '../api/client.ts'
import { fetchAllPages } from '../api/pages.ts'
import { useResource } from '../api/resource.ts'
import type { Key } from '../api/types.ts'
import type { WorkspaceFields } from './workspace-fields.ts'

type Props = { id: string | undefined; fields: WorkspaceFields; set: (part: Partial<WorkspaceFields>) => void }

/** Selects the requests whose prompts and answers are stored. @param id undefined for a new workspace. */
export function StorageInputs({ id, fields: { isStored: isKept, percent, keys }, set }: Props) {
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={isKept} onChange={(event) => set({ isStored: event.currentTarget.checked })} />
        Store prompts and answers, encrypted. Not for refused requests and requests with zero data retention
      </label>
      {isKept && (
        <>
          <label>
            Share of requests, in percent
            <input
              type="number"
              required
              min="0.01"
              max="100"
              step="any"
              value={percent}
              onInput={(event) => set({ percent: event.currentTarget.value })}
            />
          </label>
          {id !== undefined && <StorageKeys id={id} keys={keys} choose={(chosen) => set({ keys: chosen })} />}
        </>
      )}
    </>
  )
}

type KeysProps = { id: string; keys: string[] | null; choose: (keys: string[] | null) => void }

function StorageKeys({ id, keys, choose }: KeysProps) {
  const { data } = useResource<Key[]>(`keys of ${id}`, (signal) =>
    fetchAllPages((query) => call('GET /keys', { query: { ...query, workspace_id: id } }, { signal })),
  )
  const allKeys = data ?? []
  return (
    <>
      <label>
        Requests of
        <select
          value={keys === null ? 'all' : 'some'}
          onChange={(event) => choose(event.currentTarget.value === 'all' ? null : [])}
        >
          <option value="all">all keys of the workspace</option>
          <option value="some">some keys</option>
        </select>
      </label>
      {keys !== null && (
        <label>
          Keys
          <select
            multiple
            required
            size={6}
            onChange={(event) => choose([...event.currentTarget.selectedOptions].map(({ value }) => value))}
          >
            {allKeys.map(({ hash, name }) => (
              <option key={hash} value={hash} selected={keys.includes(hash)}>
                {name}
              </option>
            ))}
            {data &&
              keys
                .filter((hash) => !allKeys.some((key) => key.hash === hash))
                .map((hash) => (
                  <option key={hash} value={hash} selected>
                    {hash.slice(0, 12)}…
                  </option>
                ))}
          </select>
        </label>
      )}
    </>
  )
}
