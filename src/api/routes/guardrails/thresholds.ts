import { z } from '#platform/json/schema.ts'
import { getGuardrail } from '#policy/guardrails/read-guardrails.ts'
import { readThresholdsOf, setThresholds, Thresholds, ThresholdsBody } from '#spend/budgets/thresholds.ts'
import { thresholdsEntity } from '../entities.ts'
import { route } from '../route.ts'
import { GuardrailParams, wrongKeyFault } from './route-fields.ts'

const entity = thresholdsEntity('guardrail')
const sharedFields = {
  path: '/guardrails/{id}/thresholds',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  etag: entity,
  response: z.object({ data: z.object({ thresholds: Thresholds }) }),
} as const

export const getGuardrailThresholds = route({
  ...sharedFields,
  method: 'get',
  summary: 'Get the percentages of the limit of a guardrail at which webhooks are notified',
  description: 'The default is 50, 80 and 100.',
  request: { params: GuardrailParams },
  faults: ['unauthenticated', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const { id } = await getGuardrail(deps, caller, params.id)
    return { data: { thresholds: await readThresholdsOf(deps.db.query, { kind: 'guardrail', id }) } }
  },
})

export const setGuardrailThresholds = route({
  ...sharedFields,
  method: 'put',
  ifMatch: entity,
  summary: 'Set the percentages of the limit of a guardrail at which webhooks are notified',
  description: 'They apply to the limit of each member and key.',
  request: { params: GuardrailParams, body: ThresholdsBody },
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const { id } = await getGuardrail(deps, caller, params.id)
    const thresholds = await setThresholds(deps, caller, { kind: 'guardrail', id }, body.thresholds)
    return { data: { thresholds } }
  },
})
