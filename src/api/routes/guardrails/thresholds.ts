import { z } from '#platform/json/schema.ts'
import { getGuardrail } from '#policy/guardrails/read.ts'
import { readThresholds, setThresholds, Thresholds, ThresholdsBody, thresholdsOf } from '#spend/budgets/thresholds.ts'
import { thresholdsEntity } from '../entities.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

const thresholds = thresholdsEntity('guardrail')
const common = {
  path: '/guardrails/{id}/thresholds',
  tag: 'guardrails',
  key: 'management',
  etag: thresholds,
  response: z.object({ data: z.object({ thresholds: Thresholds }) }),
} as const
const target = (id: string) => ({ owner: `guardrail:${id}`, kind: 'guardrail' as const, id })

export const getGuardrailThresholds = route({
  ...common,
  method: 'get',
  summary: 'Get the percentages of the limit of a guardrail at which webhooks are notified',
  description: 'The default is 50, 80 and 100.',
  request: { params: GuardrailPath },
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const { owner } = target((await getGuardrail(deps, caller, params.id)).id)
    return { data: { thresholds: thresholdsOf(await readThresholds(deps.db.query, [owner]), owner) } }
  },
})

export const setGuardrailThresholds = route({
  ...common,
  method: 'put',
  ifMatch: thresholds,
  summary: 'Set the percentages of the limit of a guardrail at which webhooks are notified',
  description: 'They apply to the limit of each member and key.',
  request: { params: GuardrailPath, body: ThresholdsBody },
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const { id } = await getGuardrail(deps, caller, params.id)
    return { data: { thresholds: await setThresholds(deps, caller, target(id), body.thresholds) } }
  },
})
