import { useKeysByHash } from '../../api/keys-by-hash.ts'
import { useGet } from '../../api/resource.ts'
import { SearchAndAdd, type SearchResult, SelectedItems } from '../../components/filters/search-and-add.tsx'
import { useDebounced } from '../../components/window/use-debounced.ts'
import type { WorkspaceFields } from './workspace-fields.ts'

type Props = { id: string | undefined; fields: WorkspaceFields; set: (part: Partial<WorkspaceFields>) => void }

/** Selects the requests whose prompts and responses are stored. @param id undefined for a new workspace. */
export function StorageInputs({ id, fields: { storesContent, percent, keys }, set }: Props) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={storesContent}
          onChange={(event) => set({ storesContent: event.currentTarget.checked })}
        />
        Store prompts and responses, encrypted. Not for refused requests and requests with zero data retention
      </label>
      {storesContent && (
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

const maxFound = 8

function StorageKeys({ id, keys, choose }: KeysProps) {
  const byHash = useKeysByHash(keys ?? [])
  const nameOf = (hash: string) => byHash.get(hash)?.name ?? `${hash.slice(0, 12)}…`
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
        <fieldset class="picker">
          <legend>Keys</legend>
          <SelectedItems
            label="Keys"
            selected={keys.map((hash) => ({ id: hash, label: nameOf(hash) }))}
            remove={(hash) => choose(keys.filter((one) => one !== hash))}
          />
          <SearchAndAdd
            label="Add a key"
            placeholder="Name of a key"
            isRequired={keys.length === 0}
            resultsLabel="Matching keys"
            noResults="No other key has this name."
            useSearch={(typed) => useKeySearch(typed, id)?.filter((one) => !keys.includes(one.id))}
            add={(key) => choose([...keys, key.id])}
          />
        </fieldset>
      )}
    </>
  )
}

/** The keys of a workspace whose name has the words; undefined while they are loaded. */
function useKeySearch(typed: string, workspaceId: string): SearchResult[] | undefined {
  const q = useDebounced(typed)
  const query = { q, limit: maxFound, workspace_id: workspaceId }
  const { data, isCurrent } = useGet('GET /keys', q === '' ? undefined : { query })
  if (q !== typed || !isCurrent) return undefined
  return data?.data.map(({ hash, name }) => ({ id: hash, label: name }))
}
