import { z } from 'zod'
import { KeyRecord } from '#accounts/key.ts'
import { KeyUsage, usageOf } from './usage.ts'

export const Key = KeyRecord.extend(KeyUsage.shape).meta({
  id: 'Key',
  description: 'A key and what it has spent. Its secret is shown once, when it is made.',
})

export const KeyParams = z.object({ hash: z.string().describe("The key's hash.") })

export function keyAnswer(record: KeyRecord): z.infer<typeof Key> {
  return { ...record, ...usageOf(record) }
}
