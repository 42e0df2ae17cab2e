import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address/address.ts'
import type { Resource } from '../../api/resource.ts'
import { exactCount } from '../../format/count.ts'
import { useFilters } from '../filters/filters.ts'
import { EmptyState, FailureState, Loading, Progress } from '../page/page-states.tsx'

const pageSize = 50

/** The page in the address, as query parameters of list routes. */
export function usePage() {
  const offset = Number(useLocation().query.offset)
  return { limit: pageSize, offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 }
}

/** Like `usePage`, with the search words. */
export function useSearchPage() {
  const { q } = useLocation().query
  return { ...usePage(), ...(q !== undefined && { q }) }
}

type List<Row> = { data: Row[]; total_count: number }

/** A list in all its states, with links to its other pages. */
export function Listing<Row>({
  resource,
  label,
  columns,
  empty,
  renderRow,
}: {
  resource: Resource<List<Row>>
  label: string
  /** The titles of the columns. One that begins with `#` has numbers, an empty one has buttons. */
  columns: string[]
  empty: ComponentChildren
  renderRow: (row: Row) => ComponentChildren
}) {
  const { data, failure, reload, isLoading } = resource
  const { q } = useFilters().values
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  if (data.total_count === 0) return q ? <NotFound q={q} /> : empty
  return (
    <>
      <Progress isOn={isLoading} />
      <table class="plain-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) =>
              column === '' ? (
                <td key={column} />
              ) : (
                <th key={column} scope="col" class={column.startsWith('#') ? 'number' : undefined}>
                  {column.replace('#', '')}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{data.data.map(renderRow)}</tbody>
      </table>
      <Pages count={data.data.length} total={data.total_count} />
    </>
  )
}

function NotFound({ q }: { q: string }) {
  const { set } = useFilters()
  return (
    <EmptyState title={`No results for “${q}”`}>
      <button type="button" onClick={() => set({ q: undefined, offset: undefined })}>
        Show all
      </button>
    </EmptyState>
  )
}

function Pages({ count, total }: { count: number; total: number }) {
  const { path, query } = useLocation()
  const { offset } = usePage()
  if (offset === 0 && count === total) return null
  const pathAt = (next: number) => path + queryOf({ ...query, offset: next > 0 ? next : undefined })
  return (
    <p class="pages dim">
      {count === 0 ? 'No entries' : `${exactCount(offset + 1)} to ${exactCount(offset + count)}`} of {exactCount(total)}
      {offset > 0 && <a href={pathAt(offset - pageSize)}>Previous</a>}
      {offset + count < total && count > 0 && <a href={pathAt(offset + pageSize)}>Next</a>}
    </p>
  )
}
