import type { KnownEndpoint } from './known.ts'

/**
 * The names that clients of a row with `*` use for models that are known: with `claude-*` for `anthropic/claude-*` that is
 * each name of Anthropic's that begins so.
 * @returns name and model id of each.
 */
export function aliasesOfPattern(name: string, upstream: string, endpoints: KnownEndpoint[]): [string, string][] {
  const pattern = new RegExp(`^${upstream.split('*').map(RegExp.escape).join('(.*)')}$`)
  return endpoints.flatMap(({ model, endpoint }): [string, string][] => {
    const stood = pattern.exec(endpoint.upstreamModel)?.[1]
    return stood === undefined ? [] : [[name.replace('*', () => stood), model.id]]
  })
}
