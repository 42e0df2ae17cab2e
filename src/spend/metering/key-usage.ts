import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { recordColumns, toGenerationRecord } from '../ledger/record.ts'
import { exactSum } from '../ledger/sums/exact.ts'
import { readSum } from '../ledger/sums/read-sum.ts'

/** The summed usage of one key. */
type KeyUsage = { promptTokens: number; completionTokens: number; cachedTokens: number; costUsd: number }

/** Limits the query. Turns of agents have fewer requests. */
const maxRequests = 5000

/** The written usage of a key since an instant. Undefined without requests, or with more than `maxRequests`. */
export async function readUsageSince(
  { db }: { db: Pick<Db, 'query'> },
  keyHash: string,
  since: number,
): Promise<KeyUsage | undefined> {
  const matching = db.query.selectFrom('generations').where('key_hash', '=', keyHash).where('created_at', '>=', since)
  const rows = await matching
    .select(recordColumns)
    .orderBy('created_at')
    .limit(maxRequests + 1)
    .execute()
  if (rows.length === 0 || rows.length > maxRequests) return undefined
  const { cost } = await matching.select(exactSum(sql.ref('cost_pico')).as('cost')).executeTakeFirstOrThrow()
  const records = rows.map(toGenerationRecord)
  const sumRecords = (count: (record: (typeof records)[number]) => number) =>
    records.reduce((sum, record) => sum + count(record), 0)
  return {
    promptTokens: sumRecords((record) => record.tokens_prompt),
    completionTokens: sumRecords((record) => record.tokens_completion),
    cachedTokens: sumRecords((record) => record.tokens_cached),
    costUsd: toUsd(readSum(cost)),
  }
}

/** The written cost of requests of a key that started between two instants. */
export async function readCostBetween(
  { db }: { db: Pick<Db, 'query'> },
  keyHash: string,
  since: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<PicoUsd> {
  const { cost } = await db.query
    .selectFrom('generations')
    .where('key_hash', '=', keyHash)
    .where('created_at', '>=', since)
    .where('created_at', '<=', until)
    .select(exactSum(sql.ref('cost_pico')).as('cost'))
    .executeTakeFirstOrThrow()
  return readSum(cost)
}
