import type { Layer, RowNote } from './layer.ts'

/** Returns notes about rows of the operator's file that are used, but are most likely a mistake. */
export function findHints({ source, providers, models, findLine }: Layer): RowNote[] {
  const hints: RowNote[] = []
  const checkUrl = (row: string, baseUrl: string | null | undefined, path: string[]) => {
    const reason = baseUrl ? hintForMissingVersion(baseUrl) : undefined
    if (reason) hints.push({ source, line: findLine?.([...path, 'base_url']), row, reason })
  }
  for (const [slug, { baseUrl }] of providers) checkUrl(slug, baseUrl, ['providers', slug])
  for (const [id, { endpoints }] of models)
    for (const [tag, { baseUrl }] of endpoints) checkUrl(`${id}@${tag}`, baseUrl, ['models', id, 'endpoints', tag])
  return hints
}

/** Returns a hint for a base URL without a version segment, which only few servers have. */
function hintForMissingVersion(baseUrl: string): string | undefined {
  if (/\/v\d/.test(baseUrl) || baseUrl.includes('${')) return undefined
  return `base_url ${baseUrl} has no version; most servers require ${baseUrl.replace(/\/+$/, '')}/v1`
}
