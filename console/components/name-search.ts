import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address.ts'
import { useGet } from '../api/resource.ts'
import { role } from '../api/session.ts'
import type { Command } from './commands.ts'

const restMs = 150
const most = 5

/** Finds keys and members by name. */
export function useNameSearch(typed: string): Command[] {
  const { route } = useLocation()
  const words = useRested(typed.trim())
  const isEnabled = words.length > 1 && words === typed.trim()
  const who = role()
  const query = { q: words, limit: most }
  const keys = useGet('GET /keys', isEnabled ? { query: { ...query, include_disabled: 'true' } } : undefined)
  const people = useGet('GET /organization/members', isEnabled && who !== 'developer' ? { query } : undefined)
  const go = (path: string, q: string) => route(path + queryOf({ q }))
  return [
    ...currentRows(keys).map(({ hash, name, label, creator_name }) => ({
      title: name,
      hint: `key ${label}${creator_name ? ` of ${creator_name}` : ''}`,
      act: () => go('/keys', hash),
    })),
    ...currentRows(people).map(({ first_name, last_name, email }) => ({
      title: [first_name, last_name].filter(Boolean).join(' ') || email,
      hint: email,
      act: () => go('/keys/people', email),
    })),
  ]
}

/** The rows of the current search; results of a previous one are ignored. */
const currentRows = <Row>({ data, isCurrent }: { data: { data: Row[] } | undefined; isCurrent: boolean }): Row[] =>
  isCurrent && data ? data.data : []

/** The typed text after a pause. */
function useRested(typed: string): string {
  const [rested, setRested] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), restMs)
    return () => clearTimeout(timer)
  }, [typed])
  return rested
}
