import { useGet } from '../../api/resource.ts'
import type { AuditEvent } from '../../api/types.ts'
import type { Filter } from '../../components/filters/filter-label.ts'
import { useFilters } from '../../components/filters/filters.ts'
import { AddFilter, Chip, Chips } from '../../components/form/chips.tsx'
import { EmptyState } from '../../components/page/page-states.tsx'
import { fieldLabel } from '../../components/policy/rule-label.ts'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { describeAction, knownActions, targetKinds } from './audit-actions.ts'
import { changesOf, formatValue } from './audit-changes.ts'

/** @param names of the listed targets, by id. */
const filtersOf = (names: ReadonlyMap<string, string | null>): Filter[] => [
  {
    kind: 'text',
    name: 'action',
    label: 'action',
    placeholder: 'Filter by action',
    suggestions: knownActions,
    onlySuggestions: true,
    format: describeAction,
  },
  { kind: 'choice', name: 'target_kind', label: 'target type', unsetText: 'any', options: targetKinds },
  { kind: 'text', name: 'target_id', label: 'target', format: (id) => names.get(id) ?? id.slice(0, 12) },
]

/** The audit log, which is append-only. */
export function AuditLog() {
  const addressFilters = useFilters()
  // A changed filter resets the page.
  const set: typeof addressFilters.set = (changes) => addressFilters.set({ ...changes, offset: undefined })
  const chips = { ...addressFilters, set }
  const { action, target_kind, target_id } = addressFilters.values
  const activeFilters = Object.entries({ action, target_kind, target_id }).filter(([, value]) => value)
  const resource = useGet('GET /audit', { query: { ...usePage(), ...Object.fromEntries(activeFilters) } })
  const filters = filtersOf(new Map(resource.data?.data.map(({ target }) => [target.id, target.name])))
  return (
    <>
      <div class="toolbar">
        <Chips>
          {filters
            .filter(({ name }) => addressFilters.values[name])
            .map((filter) => (
              <Chip key={filter.name} filter={filter} filters={chips} />
            ))}
          <AddFilter availableFilters={filters.filter(({ name }) => !addressFilters.values[name])} filters={chips} />
        </Chips>
      </div>
      <Listing
        resource={resource}
        label="Audit log"
        columns={['time', 'actor', 'action', 'target', 'changes']}
        empty={<EmptyState title={activeFilters.length > 0 ? 'No changes match these filters' : 'No changes yet'} />}
        renderRow={(event) => <AuditRow key={event.id} event={event} />}
      />
    </>
  )
}

/** Longer lists of changed fields end with a count. */
const maxNamedFields = 3

function AuditRow({ event: { at, actor, action, target, before, after } }: { event: AuditEvent }) {
  const changes = changesOf(before, after)
  return (
    <tr class="audit-row">
      <td data-head="time">
        <ClockTime time={at} />
      </td>
      <td data-head="actor" title={actor.user_email ?? undefined}>
        {actor.user_name ?? actor.user_email ?? actor.user_id}{' '}
        <span class="dim">{actor.session_id ? 'browser session' : actor.key_name && `key ${actor.key_name}`}</span>
      </td>
      <th scope="row" class="action" title={action}>
        {describeAction(action)}
      </th>
      <td data-head="target">
        <a href={`/keys/audit?target_id=${encodeURIComponent(target.id)}`} title={`Audit log of ${target.id}`}>
          {target.name ?? target.id.slice(0, 12)}
        </a>
      </td>
      <td data-head="changes">
        {changes.length > 0 && (
          <details>
            <summary>
              {changes
                .map(({ field }) => fieldLabel(field))
                .filter(Boolean)
                .slice(0, maxNamedFields)
                .join(', ') || 'before and after'}
              {changes.length > maxNamedFields && ` and ${changes.length - maxNamedFields} more`}
            </summary>
            <dl>
              {changes.map((change) => (
                <div key={change.field}>
                  <dt class="dim">{fieldLabel(change.field)}</dt>
                  <dd class="mono">
                    {formatValue(change.before, change.field)} → {formatValue(change.after, change.field)}
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </td>
    </tr>
  )
}
