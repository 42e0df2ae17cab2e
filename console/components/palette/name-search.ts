import { useLocation } from 'preact-iso/router'
import { queryOf } from '../../api/address/address.ts'
import { canListKeys } from '../../api/key-access.ts'
import { useGet } from '../../api/resource.ts'
import { currentSession, role } from '../../api/session.ts'
import { currentRows, maxPerKind, type NamedResult, useListedNames } from '../filters/listed-names.ts'
import { requestIdIn } from '../filters/request-id.ts'
import { memberName } from '../text/member-name.ts'
import { useDebounced } from '../window/use-debounced.ts'
import type { Command } from './commands.ts'

/** Shorter than the delay of other searches: the palette is for quick steps, and a search by name is cheap. */
const debounceMs = 150

/** `byExactId`: leads to requests whose session has exactly the typed text as its id, if there are any. */
type Results = { commands: Command[]; byExactId: Command[]; isSearching: boolean }

/**
 * Finds a request by its id, and everything else by parts of its name.
 * @param ofRequests whether a result leads to its requests instead of its page.
 */
export function useNameSearch(searchText: string, ofRequests: boolean): Results {
  const { route } = useLocation()
  const words = useDebounced(searchText.trim(), debounceMs)
  const isSettled = words === searchText.trim()
  const id = requestIdIn(searchText)
  const isEnabled = id === undefined && words.length > 1 && isSettled
  const namedResults = useListedNames(isEnabled ? words : undefined)
  const query = { q: words, limit: maxPerKind }
  const searchesKeys = isEnabled && canListKeys(currentSession())
  const keys = useGet('GET /keys', searchesKeys ? { query: { ...query, include_disabled: 'true' } } : undefined)
  const members = useGet('GET /organization/members', isEnabled && role() !== 'developer' ? { query } : undefined)
  const toCommand = ({ path, requests, ...shown }: NamedResult): Command => ({
    ...shown,
    onSelect: () => route(ofRequests && requests ? `/requests${queryOf(requests)}` : path),
  })
  const session: NamedResult = {
    title: `Requests of the session “${words}”`,
    hint: 'session',
    path: `/requests${queryOf({ session_id: words })}`,
  }
  if (id) {
    return {
      commands: [toCommand({ title: id, hint: 'request', path: `/requests/${id}` })],
      byExactId: [],
      isSearching: false,
    }
  }
  const results = [...keyResults(currentRows(keys)), ...memberResults(currentRows(members)), ...namedResults]
  return {
    commands: results.map(toCommand),
    byExactId: isEnabled && !/\s/.test(words) ? [toCommand(session)] : [],
    isSearching: !isSettled || keys.isLoading,
  }
}

type Row<R extends 'GET /keys' | 'GET /organization/members'> = NonNullable<
  ReturnType<typeof useGet<R>>['data']
>['data'][number]

function keyResults(rows: Row<'GET /keys'>[]): NamedResult[] {
  return rows.map(({ hash, name, label, creator_name }) => ({
    title: name,
    hint: `key ${label}${creator_name ? ` of ${creator_name}` : ''}`,
    path: `/keys${queryOf({ q: hash })}`,
    requests: { api_key_hash: hash },
  }))
}

function memberResults(rows: Row<'GET /organization/members'>[]): NamedResult[] {
  return rows.map((member) => ({
    title: memberName(member),
    hint: `member ${member.email}`,
    path: `/keys/people${queryOf({ q: member.email })}`,
    requests: { user_id: member.email },
  }))
}
