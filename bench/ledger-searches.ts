import { median, report } from './figures.ts'
import { guardrailId, keys } from './ledger-fill.ts'

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

type Ask = (path: string) => Promise<number>

/** @param ask how long a path takes, in milliseconds. */
export async function searchLedger(who: string, ask: Ask, now: number): Promise<void> {
  const one = filters(now)
  const pairs = one.flatMap((a, at) => one.slice(at + 1).map((b) => `${a}&${b}`))
  const nameOf = (filter: string) => filter.split('=')[0]!
  const different = pairs.filter((pair) => new Set(pair.split('&').map(nameOf)).size === 2)
  await slowest(`${who}: the log with one filter`, ['', ...one], ask, 9)
  await slowest(`${who}: the log with two filters`, different, ask, 3)
}

/** Each has a median of its own; the greatest are told. */
async function slowest(what: string, searches: readonly string[], ask: Ask, rounds: number): Promise<void> {
  const medians: { search: string; ms: number }[] = []
  for (const search of searches) {
    const times: number[] = []
    // What takes far too long is not asked again.
    for (let round = 0; round < rounds && !(times[0]! > 50 * boundMs); round++)
      times.push(await ask(`/generations?${search}`))
    medians.push({ search, ms: median(times) })
  }
  medians.sort((a, b) => b.ms - a.ms)
  const worst = medians[0]!
  const met = worst.ms <= boundMs
  report(`${what} (${medians.length})`, `${worst.ms.toFixed(1)} ms at most`, { text: `<= ${boundMs} ms each`, met })
  const over = medians.filter(({ ms }) => ms > boundMs)
  const told = over.length > 0 ? over.slice(0, 20) : medians.slice(0, 3)
  for (const { search, ms } of told) console.log(`      ${ms.toFixed(1).padStart(8)} ms  ${search}`)
  console.log(`      median of all ${median(medians.map(({ ms }) => ms)).toFixed(1)} ms, over the bound ${over.length}`)
}
