import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { queryOf } from '../api/address/address.ts'
import { useKeysByHash } from '../api/keys-by-hash.ts'
import type { Generation } from '../api/types.ts'
import { useFilters } from '../components/filters/filters.ts'
import { Heading } from '../components/page/heading.tsx'
import { lazyComponent } from '../components/page/lazy-component.tsx'
import { NoRequests } from '../components/page/no-requests.tsx'
import { FailureState, Progress } from '../components/page/page-states.tsx'
import { Table } from '../components/table/table.tsx'
import { CredentialState } from './credential-state.tsx'
import { columnsOf, NarrowRow } from './list/columns.tsx'
import { FilterBar } from './list/filter-bar.tsx'
import { useLog } from './list/use-log.ts'
import { SummaryStrip } from './summary.tsx'

const { LazyComponent: Detail, preload: loadDetail } = lazyComponent('The details', () =>
  import('./detail/detail.tsx').then(({ Detail }) => Detail),
)

/** The live request log and the details of a request. */
export function Screen() {
  const filters = useFilters()
  const { route } = useLocation()
  const id = useRoute().params.rest
  const [isLive, setLive] = useState(true)
  const [isAtTop, setAtTop] = useState(true)
  const log = useLog(filters.values, isLive, isAtTop)
  const list = useRef<HTMLDivElement>(null)
  const scrollToTop = () => list.current?.scrollTo(0, 0)
  useLayoutEffect(scrollToTop, [queryOf(filters.values)])
  const filteredKeyHash = filters.values.api_key_hash
  const byHash = useKeysByHash([
    ...(filteredKeyHash ? [filteredKeyHash] : []),
    ...log.rows.map(({ key_hash }) => key_hash),
  ])
  const keyName = (hash: string) => byHash.get(hash)?.name ?? `${hash.slice(0, 8)}…`
  /** Shows the details of another request; undefined closes them. */
  const showDetails = (requestId: string | undefined) => {
    const path = requestId === undefined ? '/requests' : `/requests/${encodeURIComponent(requestId)}`
    // From one request to another, the entry of the history is replaced: going back returns to the list.
    const isReplaced = id !== undefined
    route(path + queryOf(filters.values), isReplaced)
  }
  // A mark for benchmarks: the rows are rendered and keys work. The script of the details follows.
  const hasRows = log.rows.length > 0
  useEffect(() => {
    if (!hasRows) return
    performance.mark('console-ready')
    void loadDetail()
  }, [hasRows])
  const openRow = log.rows.find((row) => row.id === id)
  return (
    <div class="screen">
      <Heading isHidden>Requests</Heading>
      <Progress isOn={log.isLoading} />
      <div class={id ? 'split open' : 'split'}>
        <div class="screen">
          <FilterBar filters={filters} keys={byHash} isLive={isLive} onLiveChange={setLive} />
          <SummaryStrip
            values={filters.values}
            isLive={isLive}
            paidBy={byHash.get(filters.values.api_key_hash ?? '')}
          />
          <div class="screen list">
            {log.waiting.length > 0 && !log.failure && (
              <button
                type="button"
                class="new-rows-button"
                onClick={() => {
                  // The button is removed at the top.
                  list.current?.focus({ preventScroll: true })
                  scrollToTop()
                }}
              >
                ↑ {log.waiting.length}
                {log.hasGap && '+'} new
              </button>
            )}
            {log.failure ? (
              <FailureState failure={log.failure} onRetry={log.reload} />
            ) : log.rows.length === 0 && !log.isLoading ? (
              <NoRequests
                noMatch={Object.keys(filters.values).length > 0 && 'No requests match these filters'}
                onClear={filters.clear}
                title="No requests yet"
              >
                <p>Requests appear here within a second of their end.</p>
                <CredentialState />
                <p>To send a request to the demo model, which needs no credential:</p>
              </NoRequests>
            ) : (
              <Table<Generation>
                label="Requests"
                rows={log.rows}
                columns={columnsOf(keyName)}
                keyOf={(row) => row.id}
                openKey={id}
                onOpen={(row) => showDetails(row.id)}
                narrow={(row) => <NarrowRow row={row} />}
                onEnd={log.older}
                onTopChange={setAtTop}
                list={list}
                foot={<Foot log={log} />}
              />
            )}
          </div>
        </div>
        {id && (
          <Detail
            requestId={id}
            row={openRow}
            keys={byHash}
            onChanged={log.reload}
            onClose={() => showDetails(undefined)}
          />
        )}
      </div>
    </div>
  )
}

/** Below the last row: the end of the list, or a failure. */
function Foot({ log: { rows, cursor, endFailure, older } }: { log: ReturnType<typeof useLog> }) {
  if (endFailure) {
    return (
      <span role="alert">
        Older requests could not be loaded: {endFailure.message}{' '}
        <button type="button" onClick={() => void older()}>
          Retry
        </button>
      </span>
    )
  }
  return cursor === null && rows.length > 0 ? 'End of the list.' : null
}
