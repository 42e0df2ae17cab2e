import { addressOf, call } from '../../api/client.ts'
import { fetchAllCursorPages, useAllRows } from '../../api/pages.ts'
import { useGet, useResource } from '../../api/resource.ts'
import { canManage, role } from '../../api/session.ts'
import type { Intern } from '../../api/types.ts'
import { matchesAllWords } from './matches-all-words.ts'

/** A result of the search by name. `requests` is the filter that selects its requests. */
export type NamedResult = { title: string; hint: string; path: string; requests?: Record<string, string> }

export const maxPerKind = 5

/** The rows of the current search; results of a previous one are ignored. */
export const currentRows = <R>({ data, isCurrent }: { data: { data: R[] } | undefined; isCurrent: boolean }): R[] =>
  isCurrent && data ? data.data : []

/** Models, providers, workspaces, presets, guardrails and interns whose name contains the typed words. */
export function useListedNames(searchText: string | undefined): NamedResult[] {
  const isEnabled = searchText !== undefined
  const canReadGuardrails = isEnabled && role() !== 'developer'
  const models = useGet('GET /models', isEnabled ? { query: { q: searchText, limit: maxPerKind } } : undefined)
  const providers = useGet('GET /providers', isEnabled ? {} : undefined)
  const presets = useAllRows('GET /presets', isEnabled ? {} : undefined)
  const workspaces = useAllRows('GET /workspaces', isEnabled && canManage() ? {} : undefined)
  const guardrails = useAllRows('GET /guardrails', canReadGuardrails ? {} : undefined)
  const interns = useResource(isEnabled ? `all of ${addressOf('GET /interns', {})}` : undefined, (signal) =>
    fetchAllCursorPages<Intern>((query) => call('GET /interns', { query }, { signal })),
  )
  if (!isEnabled) return []
  const matching = <Row>(rows: Row[] | undefined, textOf: (row: Row) => string) =>
    (rows ?? []).filter((row) => matchesAllWords(textOf(row), searchText)).slice(0, maxPerKind)
  return [
    ...currentRows(models).map(({ id, name }) => ({
      title: id,
      hint: `model ${name}`,
      path: `/models/${id}`,
      requests: { model: id },
    })),
    ...matching(providers.data?.data, ({ slug, name }) => `${slug} ${name}`).map(({ slug, name }) => ({
      title: name,
      hint: `provider ${slug}`,
      path: `/requests?provider=${encodeURIComponent(slug)}`,
      requests: { provider: slug },
    })),
    ...matching(presets.data, ({ slug, name }) => `@preset/${slug} ${name}`).map(({ slug }) => ({
      title: `@preset/${slug}`,
      hint: 'preset',
      path: `/presets/${slug}`,
      requests: { preset: slug },
    })),
    ...matching(workspaces.data, ({ slug, name }) => `${slug} ${name}`).map(({ slug, name }) => ({
      title: name,
      hint: `workspace ${slug}`,
      path: `/keys/workspaces?q=${encodeURIComponent(slug)}`,
      requests: { workspace_id: slug },
    })),
    ...matching(guardrails.data, ({ name, description }) => `${name} ${description ?? ''}`).map(({ id, name }) => ({
      title: name,
      hint: 'guardrail',
      path: `/guardrails/${id}`,
      requests: { guardrail_id: id },
    })),
    ...matching(interns.data?.rows, ({ name, description }) => `${name} ${description ?? ''}`).map(({ id, name }) => ({
      title: name,
      hint: 'intern',
      path: `/interns/${id}`,
    })),
  ]
}
