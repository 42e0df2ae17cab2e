import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address.ts'

/** What is filtered by stands in the address, so that a view can be sent to a colleague. */
export type Filters = {
  values: Readonly<Record<string, string>>
  /** Sets some, and takes away those that are undefined. The list stands at its beginning again. */
  set: (changes: Record<string, string | undefined>) => void
  clear: () => void
}

export function useFilters(): Filters {
  const { path, query, route } = useLocation()
  return {
    values: query,
    set: (changes) => route(path + queryOf({ ...query, ...changes }), true),
    clear: () => route(path, true),
  }
}
