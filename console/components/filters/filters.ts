import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address/address.ts'

/** The filters of a list. They are in the address, so that a view can be shared. */
export type Filters = {
  values: Readonly<Record<string, string>>
  /** Sets filters, and removes those that are undefined. Each change replaces the address, so that the Back button leaves the list. */
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
