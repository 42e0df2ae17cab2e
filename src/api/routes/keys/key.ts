import { z } from 'zod'
import { KeyRecord } from '#accounts/key.ts'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import { keySpending } from '#usage/key-spending.ts'
import { KeyUsage } from './usage.ts'

export const Key = KeyRecord.extend(KeyUsage.shape).meta({
  id: 'Key',
  description: 'A key and what it has spent. Its secret is shown once, when it is made.',
})

export const KeyParams = z.object({ hash: z.string().describe("The key's hash.") })

type Deps = { db: Db; now: Now }

export async function keyAnswers(deps: Deps, records: KeyRecord[]): Promise<z.infer<typeof Key>[]> {
  const spending = await keySpending(deps, records)
  return records.map((record, index) => ({ ...record, ...spending[index]! }))
}

export async function keyAnswer(deps: Deps, record: KeyRecord): Promise<z.infer<typeof Key>> {
  const [answer] = await keyAnswers(deps, [record])
  return answer!
}
