const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/**
 * Returns the supported encoding that the client prefers; among equals, the one with the smallest result.
 * @returns undefined for no encoding, even if the client refuses `identity`.
 */
export function chooseEncoding(header: string | undefined): Encoding | undefined {
  if (!header) return undefined
  if (!choices.has(header)) {
    if (choices.size >= maxCached) choices.clear()
    choices.set(header, parsePreference(header))
  }
  return choices.get(header)
}

/** A cache by header, because clients of the same kind send the same header. */
const choices = new Map<string, Encoding | undefined>()
const maxCached = 100

function parsePreference(header: string): Encoding | undefined {
  const weights = new Map(header.toLowerCase().split(',').map(parseCoding))
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  let best: Encoding | undefined
  for (const encoding of encodings) {
    if (weightOf(encoding) > (best ? weightOf(best) : 0)) best = encoding
  }
  const identityWeight = weights.get('identity') ?? 0
  return best && weightOf(best) >= identityWeight ? best : undefined
}

/** Parses `gzip;q=0.5`. An invalid weight counts as 0. */
function parseCoding(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return [coding === 'x-gzip' ? 'gzip' : coding, Number(weight) || 0]
}
