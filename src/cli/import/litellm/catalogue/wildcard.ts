import type { KnownEndpoint } from './known-catalogue.ts'

/**
 * Expands a row with `*` to the names of known models: `claude-*` for `anthropic/claude-*` gives each of Anthropic's model
 * names that starts with `claude-`.
 * @returns pairs of name and model id
 */
export function aliasesOfPattern(
  name: string,
  upstreamPattern: string,
  endpoints: KnownEndpoint[],
): [string, string][] {
  const pattern = new RegExp(`^${upstreamPattern.split('*').map(RegExp.escape).join('(.*)')}$`)
  return endpoints.flatMap(({ model, endpoint }): [string, string][] => {
    const matched = pattern.exec(endpoint.upstreamModel)?.[1]
    return matched === undefined ? [] : [[name.replace('*', () => matched), model.id]]
  })
}
