export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/**
 * The encoding a client likes best of those we have; of equals, the one that makes the answer smallest.
 * @returns undefined for none, also where the client refuses even that: it gets something rather than nothing.
 */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (!header) return undefined
  if (!choices.has(header)) {
    if (choices.size >= maxCached) choices.clear()
    choices.set(header, choose(header))
  }
  return choices.get(header)
}

/** Clients of one kind send the same header every time. */
const choices = new Map<string, Encoding | undefined>()
const maxCached = 100

function choose(header: string): Encoding | undefined {
  const weights = new Map(header.toLowerCase().split(',').map(weightedCoding))
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  let best: Encoding | undefined
  for (const encoding of encodings) {
    if (weightOf(encoding) > (best ? weightOf(best) : 0)) best = encoding
  }
  const plain = weights.get('identity') ?? 0
  return best && weightOf(best) >= plain ? best : undefined
}

/** `gzip;q=0.5`. An invalid weight counts as 0. */
function weightedCoding(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  return [coding === 'x-gzip' ? 'gzip' : coding, Number(weight) || 0]
}
