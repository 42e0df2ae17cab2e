import { useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { canManage } from '../../api/session.ts'
import type { ListedInternHost } from '../../api/types.ts'
import { EmptyState, FailureState, Loading } from '../../components/page/page-states.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { exactCount } from '../../format/count.ts'
import { escapeInvisible } from '../visible-text.ts'
import { LostHostDialog } from './lost-host-dialog.tsx'

const columns = ['host', 'status', 'interns', 'capacity used', 'labels']

/** The hosts of interns with status and capacity. Interns of lost hosts can be moved, or their files given up. */
export function Hosts() {
  const { data, failure, reload } = useGet('GET /interns/hosts', {})
  const [selectedHost, setSelectedHost] = useState<ListedInternHost>()
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  const hosts = data.data
  if (hosts.length === 0)
    return (
      <EmptyState title="No hosts for interns">
        <p>
          Every server runs interns unless it has the setting <code>interns: off</code>.
        </p>
      </EmptyState>
    )
  return (
    <div class="parts">
      <table class="plain-table" aria-label="Hosts">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <HostRow key={host.name} host={host} onRelocate={() => setSelectedHost(host)} />
          ))}
        </tbody>
      </table>
      {selectedHost && (
        <LostHostDialog
          host={selectedHost}
          otherHosts={hosts.filter(({ name, state }) => state === 'up' && name !== selectedHost.name)}
          onDone={reload}
          onClose={() => setSelectedHost(undefined)}
        />
      )}
    </div>
  )
}

function HostRow({ host, onRelocate }: { host: ListedInternHost; onRelocate: () => void }) {
  const { name, state, reason, since, labels, capacity, capacity_used, interns } = host
  return (
    <tr>
      <th scope="row">{escapeInvisible(name)}</th>
      <td data-head="status">
        <span class={`dot ${state === 'up' ? 'ok' : 'bad'}`} />
        {state === 'up' ? 'up' : 'lost'} {since && <RelativeTime time={since} />}{' '}
        {reason && <span class="dim">{escapeInvisible(reason)}</span>}
      </td>
      <td data-head="interns">{exactCount(interns)}</td>
      <td data-head="capacity used">
        {capacity === null
          ? `${exactCount(capacity_used)}, no limit`
          : `${exactCount(capacity_used)} of ${exactCount(capacity)}`}
      </td>
      <td data-head="labels">
        {labels.length > 0 ? escapeInvisible(labels.join(', ')) : <span class="dim">none</span>}
      </td>
      <td class="number">
        {state === 'gone' && interns > 0 && canManage() && (
          <button type="button" onClick={onRelocate} aria-label={`Move interns or give up their files …, ${name}`}>
            Move interns or give up their files …
          </button>
        )}
      </td>
    </tr>
  )
}
