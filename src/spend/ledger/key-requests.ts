import type { ExpressionBuilder } from 'kysely'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from './record.ts'
import { exactSum } from './sums/exact.ts'
import { readSum } from './sums/read-sum.ts'

/** The requests of a key that started between two instants, including both instants. Without `to`, all since `from`. */
type KeyWindow = { keyHash: string; from: number; to?: number | undefined }

/** The maximum number of windows in one statement. */
const windowsPerQuery = 100

const isInWindows = (windows: readonly KeyWindow[]) => (e: ExpressionBuilder<Tables, 'generations'>) =>
  e.or(
    windows.map(({ keyHash, from, to }) => {
      const conditions = [e('key_hash', '=', keyHash), e('created_at', '>=', from)]
      if (to !== undefined) conditions.push(e('created_at', '<=', to))
      return e.and(conditions)
    }),
  )

function* splitWindows(windows: readonly KeyWindow[]): Generator<readonly KeyWindow[]> {
  for (let start = 0; start < windows.length; start += windowsPerQuery)
    yield windows.slice(start, start + windowsPerQuery)
}

/** Reads the requests in the windows after a position, oldest first. @param windows in order, without overlaps. */
export async function readRequestsInWindows(
  query: Query,
  windows: readonly KeyWindow[],
  { limit, after }: { limit: number; after: { at: number; id: string } | undefined },
): Promise<GenerationRecord[]> {
  const records: GenerationRecord[] = []
  const remaining = after ? windows.filter(({ to }) => to === undefined || to >= after.at) : windows
  for (const chunk of splitWindows(remaining)) {
    if (records.length >= limit) break
    const rows = await query
      .selectFrom('generations')
      .where(isInWindows(chunk))
      .$if(after !== undefined, (requests) =>
        requests.where(sql<boolean>`(created_at, id) > (${after?.at}, ${after?.id})`),
      )
      .select(recordColumns)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit - records.length)
      .execute()
    records.push(...rows.map(toGenerationRecord))
  }
  return records
}

/** Reads the number and the cost of all requests in the windows. */
export async function readCostInWindows(
  query: Query,
  windows: readonly KeyWindow[],
): Promise<{ count: number; cost: PicoUsd }> {
  let count = 0
  let cost: PicoUsd = 0n
  for (const chunk of splitWindows(windows)) {
    const sums = await query
      .selectFrom('generations')
      .where(isInWindows(chunk))
      .select((e) => [e.fn.countAll<number>().as('count'), exactSum(sql.ref('cost_pico')).as('cost')])
      .executeTakeFirstOrThrow()
    count += Number(sums.count)
    cost += readSum(sums.cost)
  }
  return { count, cost }
}

/** The summed tokens and the cost of the requests of one key. */
type SummedUsage = { promptTokens: number; completionTokens: number; cachedTokens: number; costUsd: number }

/** Limits the query. Turns of agents have fewer requests. */
const maxSummedRequests = 5000

/** Reads the usage of a key since an instant. Undefined without requests, or with more than `maxSummedRequests`. */
export async function readUsageSince(query: Query, keyHash: string, since: number): Promise<SummedUsage | undefined> {
  const windows = [{ keyHash, from: since }]
  const records = await readRequestsInWindows(query, windows, { limit: maxSummedRequests + 1, after: undefined })
  if (records.length === 0 || records.length > maxSummedRequests) return undefined
  const { cost } = await readCostInWindows(query, windows)
  const sumRecords = (tokensOf: (record: GenerationRecord) => number) =>
    records.reduce((sum, record) => sum + tokensOf(record), 0)
  return {
    promptTokens: sumRecords((record) => record.tokens_prompt),
    completionTokens: sumRecords((record) => record.tokens_completion),
    cachedTokens: sumRecords((record) => record.tokens_cached),
    costUsd: toUsd(cost),
  }
}
