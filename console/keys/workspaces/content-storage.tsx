import { useKeysByHash } from '../../api/keys-by-hash.ts'
import { useGet } from '../../api/resource.ts'
import { SearchAndAdd, type SearchResult, SelectedItems } from '../../components/filters/search-and-add.tsx'
import { useDebounced } from '../../components/window/use-debounced.ts'
import type { WorkspaceFields } from './workspace-fields.ts'

type Props = {
  workspaceId: string | undefined
  fields: WorkspaceFields
  onChange: (part: Partial<WorkspaceFields>) => void
}

/** The inputs that select the requests whose prompts and responses are stored. @param props.workspaceId undefined for a new workspace. */
export function StorageInputs({ workspaceId, fields: { storesContent, percent, keys }, onChange }: Props) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={storesContent}
          onChange={(event) => onChange({ storesContent: event.currentTarget.checked })}
        />
        Store prompts and responses, encrypted. Refused requests and requests with zero data retention are not stored
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
              onInput={(event) => onChange({ percent: event.currentTarget.value })}
            />
          </label>
          {workspaceId !== undefined && (
            <StorageKeys workspaceId={workspaceId} keys={keys} onChange={(hashes) => onChange({ keys: hashes })} />
          )}
        </>
      )}
    </>
  )
}

type KeysProps = { workspaceId: string; keys: string[] | null; onChange: (keys: string[] | null) => void }

const maxFound = 8

function StorageKeys({ workspaceId, keys, onChange }: KeysProps) {
  const byHash = useKeysByHash(keys ?? [])
  const nameOf = (hash: string) => byHash.get(hash)?.name ?? `${hash.slice(0, 12)}…`
  return (
    <>
      <label>
        Requests of
        <select
          value={keys === null ? 'all' : 'some'}
          onChange={(event) => onChange(event.currentTarget.value === 'all' ? null : [])}
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
            onRemove={(hash) => onChange(keys.filter((one) => one !== hash))}
          />
          <SearchAndAdd
            label="Add a key"
            placeholder="Name of a key"
            isRequired={keys.length === 0}
            resultsLabel="Matching keys"
            noResults="No other key has this name."
            useSearch={(searchText) => useKeySearch(searchText, workspaceId)?.filter((one) => !keys.includes(one.id))}
            onAdd={(key) => onChange([...keys, key.id])}
          />
        </fieldset>
      )}
    </>
  )
}

/** The keys of a workspace whose name has the words; undefined while they are loaded. */
function useKeySearch(searchText: string, workspaceId: string): SearchResult[] | undefined {
  const q = useDebounced(searchText)
  const query = { q, limit: maxFound, workspace_id: workspaceId }
  const { data, isCurrent } = useGet('GET /keys', q === '' ? undefined : { query })
  if (q !== searchText || !isCurrent) return undefined
  return data?.data.map(({ hash, name }) => ({ id: hash, label: name }))
}
