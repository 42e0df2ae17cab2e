import { addressOf, call, type Input, type ResponseBody, type RouteName } from './client.ts'
import { type Resource, useResource } from './resource.ts'

type Page<Row> = { data: Row[]; total_count: number }
type CursorPage<Row> = { data: Row[]; has_more: boolean; next_cursor?: string }

const pageSize = 100
/** Pages requested at once. A browser has six connections, and other requests need some of them. */
const concurrency = 4

/** Fetches all pages of a list with offsets, several at once. */
export async function fetchAllPages<Row>(
  fetchPage: (query: { limit: number; offset: number }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const first = await fetchPage({ limit: pageSize, offset: 0 })
  const rows = [...first.data]
  for (let offset = pageSize; offset < first.total_count; offset += pageSize * concurrency) {
    const offsets = Array.from({ length: concurrency }, (_, index) => offset + index * pageSize)
    const validOffsets = offsets.filter((one) => one < first.total_count)
    const pages = await Promise.all(validOffsets.map((one) => fetchPage({ limit: pageSize, offset: one })))
    rows.push(...pages.flatMap(({ data }) => data))
  }
  return rows
}

/**
 * Fetches all pages of a list with cursors, one after another, because each page has the cursor of the next page.
 * @param maxRows requests no further page after this number of rows.
 */
export async function fetchAllCursorPages<Row>(
  fetchPage: (query: { limit: number; starting_after?: string }) => Promise<CursorPage<Row>>,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const rows: Row[] = []
  for (let after: string | undefined; ; ) {
    const page = await fetchPage({ limit: pageSize, ...(after !== undefined && { starting_after: after }) })
    rows.push(...page.data)
    after = page.has_more ? page.next_cursor : undefined
    if (after === undefined || rows.length >= maxRows) return { rows, hasMore: after !== undefined }
  }
}

type ListRoute = { [R in RouteName]: ResponseBody<R> extends Page<unknown> ? R : never }[RouteName]
type RowOf<R extends ListRoute> = ResponseBody<R> extends Page<infer Row> ? Row : never

/** All rows of a list. @param input undefined disables the request. */
export function useAllRows<R extends ListRoute>(
  route: R,
  input: (Pick<Input<R>, 'params'> & { query?: object }) | undefined,
): Resource<RowOf<R>[]> {
  return useResource(input && `all of ${addressOf(route, input as object)}`, (signal) =>
    fetchAllPages((page) => {
      const query = { ...input?.query, ...page }
      return call(route, { ...input, query } as Input<R>, { signal }) as Promise<Page<RowOf<R>>>
    }),
  )
}
