import { guardrailId, keys } from './ledger-fill.ts'
import { median, report } from './report.ts'

const dayMs = 86_400_000
const boundMs = 20

/** Every filter of the request log: what finds much, and what finds little or nothing and looks at as much as a page may. */
function filters(now: number): string[] {
  const middle = new Date(now - 15 * dayMs).toISOString()
  const of = {
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
  return Object.entries(of).flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
}

/** The time of one answer, by the clock and of the processor of this process, and the cursor of the next page. */
export type Asked = { ms: number; processorMs: number; next: string | null }
type Ask = (path: string) => Promise<Asked>

/** Asks for the first page of each search, and for the one after it. */
export async function searchLedger(who: string, ask: Ask, now: number): Promise<void> {
  const one = filters(now)
  const pairs = one.flatMap((a, at) => one.slice(at + 1).map((b) => `${a}&${b}`))
  const nameOf = (filter: string) => filter.split('=')[0]!
  const different = pairs.filter((pair) => new Set(pair.split('&').map(nameOf)).size === 2)
  await slowest(`${who}: the log with one filter`, ['', ...one], ask, 9)
  await slowest(`${who}: the log with two filters`, different, ask, 5)
}

type Search = { search: string; ms: number; processorMs: number }

/** Reports the searches with the largest medians. */
async function slowest(what: string, searches: readonly string[], ask: Ask, rounds: number): Promise<void> {
  const first: Search[] = []
  const second: Search[] = []
  for (const search of searches) {
    const { next, ...figures } = await medianOf(`/generations?${search}`, ask, rounds)
    first.push({ search, ...figures })
    if (next === null) continue
    second.push({ search, ...(await medianOf(`/generations?${search}&cursor=${next}`, ask, rounds)) })
  }
  reportSlowest(what, first)
  reportSlowest(`${what}, by cursor`, second)
}

async function medianOf(path: string, ask: Ask, rounds: number): Promise<Asked> {
  const all: Asked[] = []
  // A search that takes far too long is not repeated.
  for (let round = 0; round < rounds && (all[0]?.ms ?? 0) <= 50 * boundMs; round++) all.push(await ask(path))
  return {
    ms: median(all.map(({ ms }) => ms)),
    processorMs: median(all.map(({ processorMs }) => processorMs)),
    next: all[0]!.next,
  }
}

function reportSlowest(what: string, all: Search[]): void {
  all.sort((a, b) => b.ms - a.ms)
  const worst = all[0]!
  const met = worst.ms <= boundMs
  report(`${what} (${all.length})`, `${worst.ms.toFixed(1)} ms at most`, { text: `<= ${boundMs} ms each`, met })
  const over = all.filter(({ ms }) => ms > boundMs)
  const slowest = over.length > 0 ? over.slice(0, 20) : all.slice(0, 3)
  for (const { search, ms, processorMs } of slowest)
    console.log(
      `      ${ms.toFixed(1).padStart(8)} ms, of the processor ${processorMs.toFixed(1).padStart(6)}  ${search}`,
    )
  const processor = all.map(({ processorMs }) => processorMs)
  const most = Math.max(...processor).toFixed(1)
  console.log(`      median of all ${median(all.map(({ ms }) => ms)).toFixed(1)} ms, over the bound ${over.length}`)
  console.log(`      processor time of this process: median ${median(processor).toFixed(1)} ms, most ${most} ms`)
}
