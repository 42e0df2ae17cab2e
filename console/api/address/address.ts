type Values = object | undefined

/** The path of a route such as `/guardrails/{id}` with its parameters filled in. */
export function pathOf(pattern: string, params: Values): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)?.[name] ?? '')),
  )
}

/** A query string that starts with `?`; empty without values. Omits empty values, and joins lists by commas. */
export function queryOf(values: Values): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value === undefined || value === '') continue
    search.append(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
