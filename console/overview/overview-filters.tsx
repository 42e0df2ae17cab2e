import type { ComponentChildren } from 'preact'
import { choiceFilter, type Filter } from '../components/filters/filter-label.ts'
import type { Filters } from '../components/filters/filters.ts'
import { AddFilter, Chip, Chips } from '../components/form/chips.tsx'
import { breakdowns, filterNames, type Row } from './queries.ts'
import { defaultSpan, spans } from './time-ranges.ts'

const spanFilter = choiceFilter(
  'last',
  'last',
  spans[defaultSpan]!.label,
  Object.entries(spans).flatMap(([name, { label }]) => (name === defaultSpan ? [] : [[name, label]])),
)
const breakdownFilter = choiceFilter(
  'by',
  'by',
  'model',
  Object.entries(breakdowns).flatMap(([name, { label }]) => (name === 'model' ? [] : [[name, label]])),
)

const labels: Record<string, string> = { api_key_hash: 'key', user_id: 'member', workspace_id: 'workspace' }

/** The time range, breakdown and filters. They are in the address. */
export function OverviewFilters({
  filters,
  groups,
  keyNames,
  hasSpan = true,
  children,
}: {
  filters: Filters
  groups: Row[]
  /** The names of API keys, by hash. */
  keyNames: ReadonlyMap<string, string>
  /** Whether the time range and the breakdown are among the chips. */
  hasSpan?: boolean
  children?: ComponentChildren
}) {
  const suggestions: Record<string, string[]> = {
    api_key_hash: [...keyNames.keys()],
    model: namesIn(groups, 'model'),
    provider: namesIn(groups, 'provider'),
  }
  const texts = filterNames.map(
    (name): Filter => ({
      kind: 'text',
      name,
      label: labels[name] ?? name,
      suggestions: suggestions[name],
      format: (value) => keyNames.get(value) ?? value,
    }),
  )
  const isSet = ({ name }: Filter) => filters.values[name] !== undefined
  return (
    <div class="bar">
      <Chips>
        {[...(hasSpan ? [spanFilter, breakdownFilter] : []), ...texts.filter(isSet)].map((filter) => (
          <Chip key={filter.name} filter={filter} filters={filters} />
        ))}
        <AddFilter availableFilters={texts.filter((filter) => !isSet(filter))} filters={filters} />
      </Chips>
      {children}
    </div>
  )
}

const namesIn = (rows: Row[], dimension: string) =>
  rows.flatMap((row) => (row[dimension] ? [String(row[dimension])] : []))
