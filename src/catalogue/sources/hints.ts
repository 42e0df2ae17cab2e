import type { Layer, Skipped } from './layer.ts'

/** Returns rows of the operator's file that are valid but most likely a mistake. */
export function hintsOf({ source, providers, models, lineOf }: Layer): Skipped[] {
  const urls = [
    ...[...providers].map(([slug, { baseUrl }]) => ({ row: slug, baseUrl, path: ['providers', slug] })),
    ...[...models].flatMap(([id, { endpoints }]) =>
      [...endpoints].map(([tag, { baseUrl }]) => ({
        row: `${id}@${tag}`,
        baseUrl,
        path: ['models', id, 'endpoints', tag],
      })),
    ),
  ]
  return urls.flatMap(({ row, baseUrl, path }) => {
    const reason = baseUrl && hintForMissingVersion(baseUrl)
    return reason ? [{ source, line: lineOf?.([...path, 'base_url']), row, reason }] : []
  })
}

/** Returns a hint for a base URL without a version segment, which only few servers have. */
function hintForMissingVersion(baseUrl: string): string | undefined {
  if (/\/v\d/.test(baseUrl) || baseUrl.includes('${')) return undefined
  return `base_url ${baseUrl} has no version; most servers require ${baseUrl.replace(/\/+$/, '')}/v1`
}
