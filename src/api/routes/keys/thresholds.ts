import { getKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { readThresholdsOf, setThresholds, Thresholds, ThresholdsBody } from '#spend/budgets/thresholds.ts'
import { thresholdsEntity } from '../entities.ts'
import { route } from '../route.ts'
import { KeyParams } from './key.ts'

const entity = thresholdsEntity('key')
const sharedFields = {
  path: '/keys/{hash}/thresholds',
  tag: 'keys',
  key: 'management',
  etag: entity,
  response: z.object({ data: z.object({ thresholds: Thresholds }) }),
} as const

export const getKeyThresholds = route({
  ...sharedFields,
  method: 'get',
  summary: 'Get the percentages of the limit of a key at which webhooks are notified',
  description: 'The default is 50, 80 and 100.',
  request: { params: KeyParams },
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params: { hash }, caller }, deps) => {
    await getKey(deps, caller, hash)
    return { data: { thresholds: await readThresholdsOf(deps.db.query, { kind: 'key', id: hash }) } }
  },
})

export const setKeyThresholds = route({
  ...sharedFields,
  method: 'put',
  ifMatch: entity,
  summary: 'Set the percentages of the limit of a key at which webhooks are notified',
  description: 'Webhooks are notified once in a period for each percentage. `null` restores the default.',
  request: { params: KeyParams, body: ThresholdsBody },
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params: { hash }, body, caller }, deps) => {
    await getKey(deps, caller, hash)
    const thresholds = await setThresholds(deps, caller, { kind: 'key', id: hash }, body.thresholds)
    return { data: { thresholds } }
  },
})
