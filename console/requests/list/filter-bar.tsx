import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address/address.ts'
import { linkTo } from '../../api/client.ts'
import { unreachableSince } from '../../api/connection/connection.ts'
import { hashOfKey } from '../../api/keys-by-hash.ts'
import type { Key } from '../../api/types.ts'
import type { Filter } from '../../components/filters/filter-label.ts'
import type { Filters } from '../../components/filters/filters.ts'
import { requestIdIn } from '../../components/filters/request-id.ts'
import { AddFilter, Chip, Chips } from '../../components/form/chips.tsx'
import { runOrToast } from '../../components/form/use-action.ts'
import { searchRequests } from '../../components/palette/palette.tsx'
import { useShortcuts } from '../../components/window/keyboard.ts'
import { logQuery, spans } from './log-query.ts'

const outcomes = [
  { value: 'success', label: 'success' },
  { value: 'failed', label: 'failed' },
  { value: 'refused', label: 'refused' },
  { value: 'client_left', label: 'client disconnected' },
  { value: 'failed,refused', label: 'failed or refused' },
]

/** Filters that are always visible; others appear when set. */
const pinnedNames = ['last', 'outcome']

function filtersOf(keys: ReadonlyMap<string, Key>): Filter[] {
  return [
    {
      kind: 'choice',
      name: 'last',
      label: 'last',
      unsetText: 'any time',
      omitsLabel: 'unset',
      options: Object.entries(spans).map(([value, { label }]) => ({ value, label })),
    },
    { kind: 'choice', name: 'outcome', label: 'outcome', unsetText: 'any', options: outcomes },
    {
      kind: 'text',
      name: 'api_key_hash',
      label: 'key',
      placeholder: 'name or hash',
      suggestions: [...keys.keys()],
      format: (hash) => keys.get(hash)?.name ?? hash,
    },
    { kind: 'text', name: 'model', label: 'model', placeholder: 'anthropic/claude-sonnet-5' },
    { kind: 'text', name: 'provider', label: 'provider', placeholder: 'anthropic' },
    { kind: 'text', name: 'user_id', label: 'member', placeholder: 'email address or ID' },
    { kind: 'text', name: 'workspace_id', label: 'workspace', placeholder: 'slug or ID' },
    { kind: 'text', name: 'session_id', label: 'session' },
    { kind: 'text', name: 'preset', label: 'preset', placeholder: 'slug' },
    { kind: 'text', name: 'guardrail_id', label: 'guardrail', placeholder: 'ID' },
    { kind: 'text', name: 'error', label: 'error', placeholder: 'rate_limited' },
    {
      kind: 'choice',
      name: 'streamed',
      label: 'streamed',
      unsetText: 'either',
      options: [
        { value: 'true', label: 'yes' },
        { value: 'false', label: 'no' },
      ],
    },
    { kind: 'text', name: 'from', label: 'from', placeholder: '2026-11-22 14:00' },
    { kind: 'text', name: 'to', label: 'to', placeholder: '2026-11-22 15:00' },
    { kind: 'text', name: 'min_cost', label: 'cost at least', unit: 'USD', placeholder: '0.01' },
    { kind: 'text', name: 'max_cost', label: 'cost at most', unit: 'USD', placeholder: '0.1' },
    { kind: 'text', name: 'min_latency', label: 'first token at least', unit: 'ms', placeholder: '1000' },
    { kind: 'text', name: 'max_latency', label: 'first token at most', unit: 'ms', placeholder: '200' },
    { kind: 'text', name: 'min_generation_time', label: 'duration at least', unit: 'ms', placeholder: '10000' },
    { kind: 'text', name: 'max_generation_time', label: 'duration at most', unit: 'ms', placeholder: '500' },
  ]
}

type BarProps = {
  filters: Filters
  keys: ReadonlyMap<string, Key>
  isLive: boolean
  onLiveChange: (isLive: boolean) => void
}

export function FilterBar({ filters, keys, isLive, onLiveChange }: BarProps) {
  const { route } = useLocation()
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([
    { key: '/', description: 'focus the search field', onPress: () => field.current?.focus() },
    { key: 'l', description: 'toggle live updates', onPress: () => onLiveChange(!isLive) },
  ])
  /** Sets filters. The name of a key is resolved to its hash, which the filter needs. */
  const set = (changes: Record<string, string | undefined>) => {
    const keyNameOrHash = changes.api_key_hash
    if (keyNameOrHash === undefined || hashPattern.test(keyNameOrHash)) return filters.set(changes)
    const resolve = async () =>
      filters.set({ ...changes, api_key_hash: (await hashOfKey(keyNameOrHash)) ?? keyNameOrHash })
    void runOrToast(resolve)
  }
  const resolvingFilters: Filters = { ...filters, set }
  const find = (searchText: string) => {
    const id = requestIdIn(searchText)
    if (id) return route(`/requests/${id}${queryOf(filters.values)}`)
    const query = parseQuery(searchText)
    if (query) set(query)
    else searchRequests(searchText)
  }
  const all = filtersOf(keys)
  const isVisible = ({ name }: Filter) => pinnedNames.includes(name) || filters.values[name] !== undefined
  return (
    <div class="bar">
      <Chips>
        {all.filter(isVisible).map((filter) => (
          <Chip key={filter.name} filter={filter} filters={resolvingFilters} />
        ))}
        <AddFilter availableFilters={all.filter((filter) => !isVisible(filter))} filters={resolvingFilters} />
      </Chips>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault()
          const searchText = field.current!.value.trim()
          field.current!.value = ''
          field.current!.blur()
          if (searchText !== '') find(searchText)
        }}
      >
        <input ref={field} aria-label="Find requests" placeholder="ID, name, or provider:openai" />
      </form>
      <kbd>/</kbd>
      <button type="button" class="chip" aria-pressed={isLive} onClick={() => onLiveChange(!isLive)}>
        {isLive && <span class={unreachableSince.value ? 'dot warn' : 'dot ok'} />}
        <b>{isLive ? 'live' : 'paused'}</b>
      </button>
      <a
        class="button"
        href={linkTo('GET /generations/export', { query: logQuery(filters.values, Date.now()) })}
        target="_blank"
        download="requests.csv"
        aria-label="Download as CSV"
        rel="noopener"
      >
        CSV
      </a>
    </div>
  )
}

const filterPrefixes: Record<string, string> = {
  provider: 'provider',
  session: 'session_id',
  preset: 'preset',
  model: 'model',
  member: 'user_id',
  key: 'api_key_hash',
  error: 'error',
  failure: 'error',
}

const hashPattern = /^[0-9a-f]{64}$/

/** Parses `provider:openai` or the ID of a model; undefined for other words. */
function parseQuery(searchText: string): Record<string, string> | undefined {
  const [, word = '', rest = ''] = /^(\w+):\s*(.+)$/.exec(searchText) ?? []
  const name = filterPrefixes[word]
  if (name) return { [name]: rest }
  return /^[\w.~-]+\/[\w.:~-]+$/.test(searchText) ? { model: searchText } : undefined
}
