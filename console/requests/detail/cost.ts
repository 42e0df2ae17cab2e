import type { Endpoint, Generation } from '../../api/types.ts'

type CostLine = { label: string; count: number; unit: 'tokens' | 'pieces'; price: number; usd: number }

/** Prices in USD per unit. */
type Prices = Readonly<Record<string, string | number | undefined>>
type Counts = Pick<
  Generation,
  | 'tokens_prompt'
  | 'tokens_completion'
  | 'tokens_cached'
  | 'tokens_cache_written'
  | 'tokens_cache_written_1h'
  | 'tokens_reasoning'
  | 'tokens_audio_prompt'
  | 'tokens_audio_completion'
  | 'tokens_image_completion'
  | 'billed_pieces'
>

/** The current prices of an endpoint, for requests without recorded prices. */
export function pricesOf(
  endpoints: Pick<Endpoint, 'tag' | 'pricing'>[] | undefined,
  endpointId: string | null,
): Prices | undefined {
  const tag = endpointId?.slice(endpointId.lastIndexOf('@') + 1)
  return endpoints?.find((endpoint) => endpoint.tag === tag)?.pricing
}

/**
 * The cost lines, calculated as in `src/gateway/pricing/cost.ts`: each token once, expensive kinds first. Audio counts as not
 * cached. Kinds without their own price cost as plain tokens.
 */
export function costLines(counts: Counts, prices: Prices): CostLine[] {
  const price = (name: string, fallbackPrice: number) =>
    prices[name] === undefined ? fallbackPrice : Number(prices[name])
  const [promptPrice, completionPrice] = [Number(prices.prompt), Number(prices.completion)]
  const prompt = counts.tokens_prompt ?? 0
  const audioIn = Math.min(counts.tokens_audio_prompt, prompt)
  const cacheWritten = Math.min(counts.tokens_cache_written, prompt - audioIn)
  const cacheWritten1h = Math.min(counts.tokens_cache_written_1h, cacheWritten)
  const cacheRead = Math.max(0, Math.min(counts.tokens_cached - audioIn, prompt - audioIn - cacheWritten))
  const completion = counts.tokens_completion ?? 0
  const audioOut = Math.min(counts.tokens_audio_completion, completion)
  const image = Math.min(counts.tokens_image_completion, completion - audioOut)
  const reasoning = Math.min(counts.tokens_reasoning, completion - audioOut - image)
  const cacheWrite = price('input_cache_write', promptPrice)
  const tokens: [label: string, count: number, price: number][] = [
    ['prompt', prompt - audioIn - cacheWritten - cacheRead, promptPrice],
    ['prompt, cache read', cacheRead, price('input_cache_read', promptPrice)],
    ['prompt, cache write', cacheWritten - cacheWritten1h, cacheWrite],
    ['prompt, cache write (1 h)', cacheWritten1h, price('input_cache_write_1h', cacheWrite)],
    ['prompt, audio', audioIn, price('audio', promptPrice)],
    ['completion', completion - audioOut - image - reasoning, completionPrice],
    ['completion, reasoning', reasoning, price('internal_reasoning', completionPrice)],
    ['completion, audio', audioOut, price('audio_output', completionPrice)],
    ['completion, images', image, price('image_output', completionPrice)],
  ]
  const pieces: [label: string, count: number, price: number][] = [
    ['request', prices.request === undefined ? 0 : 1, Number(prices.request ?? 0)],
    ...Object.entries(counts.billed_pieces).map(([name, count]): [string, number, number] => [
      name.replaceAll('_', ' '),
      count as number,
      Number(prices[name] ?? 0),
    ]),
  ]
  const lines = (billedItems: typeof tokens, unit: CostLine['unit']) =>
    billedItems
      .filter(([, count]) => count > 0)
      .map(([label, count, unitPrice]) => ({ label, count, unit, price: unitPrice, usd: count * unitPrice }))
  return [...lines(tokens, 'tokens'), ...lines(pieces, 'pieces')]
}

/** Whether the lines add up to the charged amount, apart from rounding. */
export function isSumCorrect(lines: CostLine[], charged: number): boolean {
  const sum = lines.reduce((total, { usd }) => total + usd, 0)
  return Math.abs(sum - charged) <= Math.max(1e-12, charged * 1e-9)
}
