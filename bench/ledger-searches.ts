import { dayMs } from '#platform/core/clock.ts'
import { guardrailId, keys } from './ledger-fill.ts'
import { median, report } from './report.ts'

const boundMs = 20

/** Every filter of the request log, each with values that match many requests and values that match few or none. */
function filters(now: number): string[] {
  const middle = new Date(now - 15 * dayMs).toISOString()
  const valuesByField = {
    from: [middle],
    to: [middle],
    api_key_hash: [keys[4]!, keys[3]!, 'none'],
    user_id: ['u4', 'none'],
    workspace_id: ['w1', 'none'],
    session_id: ['s70', 'none'],
    model: ['author/model-3', 'none'],
    provider: ['p1', 'none'],
    preset: ['house', 'none'],
    guardrail_id: [guardrailId, guardrailId.replace('1', '2')],
    outcome: ['failed', 'success', 'refused,failed', 'client_left'],
    error: ['bad_gateway', 'none'],
    streamed: ['true'],
    min_cost: ['1', '1000000'],
    max_cost: ['1', '0'],
    min_latency: ['1000', '1000000'],
    max_latency: ['100', '0'],
    min_generation_time: ['10000', '1000000'],
    max_generation_time: ['1000', '0'],
  }
  return Object.entries(valuesByField).flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
}

/** The time of one response, by the clock and of the processor of this process, and the cursor of the next page. */
type Measurement = { ms: number; processorMs: number; next: string | null }
type Ask = (path: string) => Promise<Measurement>

/** Requests the first two pages of each search, with one filter and with two. */
export async function searchLedger(keyName: string, ask: Ask, now: number): Promise<void> {
  const single = filters(now)
  const pairs = single.flatMap((a, i) => single.slice(i + 1).map((b) => `${a}&${b}`))
  const nameOf = (filter: string) => filter.split('=')[0]!
  const different = pairs.filter((pair) => new Set(pair.split('&').map(nameOf)).size === 2)
  await measureSearches(`${keyName}: the log with one filter`, ['', ...single], ask, 9)
  await measureSearches(`${keyName}: the log with two filters`, different, ask, 5)
}

type Search = { search: string; ms: number; processorMs: number }

/** Reports the searches with the largest medians. */
async function measureSearches(label: string, searches: readonly string[], ask: Ask, rounds: number): Promise<void> {
  const firstPages: Search[] = []
  const secondPages: Search[] = []
  for (const search of searches) {
    const { next, ...figures } = await measureMedian(`/generations?${search}`, ask, rounds)
    firstPages.push({ search, ...figures })
    if (next === null) continue
    secondPages.push({ search, ...(await measureMedian(`/generations?${search}&cursor=${next}`, ask, rounds)) })
  }
  reportSlowest(label, firstPages)
  reportSlowest(`${label}, by cursor`, secondPages)
}

async function measureMedian(path: string, ask: Ask, rounds: number): Promise<Measurement> {
  const all: Measurement[] = []
  // A search that takes far too long is not repeated.
  for (let round = 0; round < rounds && (all[0]?.ms ?? 0) <= 50 * boundMs; round++) all.push(await ask(path))
  return {
    ms: median(all.map(({ ms }) => ms)),
    processorMs: median(all.map(({ processorMs }) => processorMs)),
    next: all[0]!.next,
  }
}

function reportSlowest(label: string, all: Search[]): void {
  all.sort((a, b) => b.ms - a.ms)
  const worst = all[0]!
  const isMet = worst.ms <= boundMs
  report(`${label} (${all.length})`, `${worst.ms.toFixed(1)} ms at most`, { text: `<= ${boundMs} ms each`, isMet })
  const over = all.filter(({ ms }) => ms > boundMs)
  const slowest = over.length > 0 ? over.slice(0, 20) : all.slice(0, 3)
  for (const { search, ms, processorMs } of slowest)
    console.log(`      ${ms.toFixed(1).padStart(8)} ms, processor ${processorMs.toFixed(1).padStart(6)}  ${search}`)
  const processor = all.map(({ processorMs }) => processorMs)
  const maxMs = Math.max(...processor).toFixed(1)
  console.log(`      median of all ${median(all.map(({ ms }) => ms)).toFixed(1)} ms, over the bound ${over.length}`)
  console.log(`      processor time of this process: median ${median(processor).toFixed(1)} ms, maximum ${maxMs} ms`)
}
