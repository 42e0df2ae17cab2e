import { readKeyNames } from '#identity/accounts/account-names.ts'
import type { Caller, CallerScope } from '#identity/accounts/caller.ts'
import { resolveUserId } from '#identity/accounts/members/members.ts'
import { findWorkspace } from '#identity/accounts/workspaces.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query } from '#platform/db/db.ts'
import { type DimensionFilter, dimensions, operators } from '#spend/analytics/dimensions.ts'
import type { AnalyticsQueryBody } from './body.ts'

type Filter = AnalyticsQueryBody['filters'][number]
type FilterDeps = {
  db: { query: Query }
  catalogue: { current: () => { findProvider: (name: string) => { slug: string } | undefined } }
}
type FilterScope = CallerScope & Pick<Caller, 'keyKind'>

/** Converts filters to cell values, and reports values that match nothing. */
export async function readFilters(
  deps: FilterDeps,
  caller: FilterScope,
  filters: readonly Filter[],
): Promise<{ filters: DimensionFilter[]; warnings: string[] }> {
  const warnings: string[] = []
  const read = filters.map(async (filter, index): Promise<DimensionFilter> => {
    const { field, operator, include_unset: includesUnset = false } = filter
    const values = await Promise.all(readValues(filter, index).map((value) => resolveValue(deps, caller, field, value)))
    if (field === 'api_key_id' && caller.keyKind === 'management')
      warnings.push(...(await unknownKeyWarnings(deps, caller, values)))
    return {
      column: dimensions[field].column,
      values,
      isNegated: operator === 'neq' || operator === 'not_in',
      includesUnset,
    }
  })
  return { filters: await Promise.all(read), warnings }
}

function readValues({ operator, value, include_unset }: Filter, index: number): string[] {
  const takesList = operators[operator] === 'array'
  if (Array.isArray(value) !== takesList) {
    const expected = takesList ? 'a list of values' : 'one value'
    throw new Fault('invalid', `Invalid request: filters[${index}].value: ${operator} takes ${expected}`)
  }
  if (include_unset && !takesList) {
    throw new Fault('invalid', `Invalid request: filters[${index}].include_unset: is allowed only with in and not_in`)
  }
  return (Array.isArray(value) ? value : [value]).map(String)
}

/** Resolves the value of a filter: members by email address, workspaces by slug. */
async function resolveValue(
  deps: FilterDeps,
  caller: FilterScope,
  field: Filter['field'],
  value: string,
): Promise<string> {
  const { organizationId, keyKind } = caller
  // Callers that cannot see all members must not learn whether one has this address.
  if (field === 'user' && keyKind === 'management')
    return (await resolveUserId(deps.db.query, organizationId, value)) ?? value
  if (field === 'workspace') return (await findWorkspace(deps, caller, value))?.id ?? value
  if (field === 'provider') return deps.catalogue.current().findProvider(value)?.slug ?? value
  return value
}

async function unknownKeyWarnings(
  { db }: FilterDeps,
  { organizationId }: FilterScope,
  hashes: string[],
): Promise<string[]> {
  const keyNames = await readKeyNames(db, organizationId, hashes)
  const unknown = hashes.filter((hash) => !keyNames.has(hash))
  return unknown.map((hash) => `filters: api_key_id: no key has the hash ${hash.slice(0, 80)}`)
}
