import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { Webhook, WebhookSecret } from '#webhooks/webhook.ts'
import { overlapHours, rotateSecret } from '#webhooks/webhooks.ts'
import { route } from '../route.ts'
import { WebhookParams } from './route-fields.ts'

const Rotation = strictFields({
  overlap_hours: z
    .int()
    .min(0)
    .max(overlapHours.max)
    .default(overlapHours.default)
    .describe('The time for which the previous secret also signs deliveries, in hours. 0: none.'),
}).meta({ id: 'WebhookRotation' })

export const rotateWebhookSecret = route({
  method: 'post',
  path: '/webhooks/{webhookId}/rotate-secret',
  tag: 'webhooks',
  key: 'management',
  summary: 'Rotate the secret of a webhook',
  description:
    'During the overlap, each delivery has signatures of both the new and the previous secret, so that the receiver can switch without a gap.',
  request: { params: WebhookParams, body: Rotation },
  response: z.object({ data: Webhook, secret: WebhookSecret }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const { webhook, secret } = await rotateSecret(deps, caller, params.webhookId, body.overlap_hours)
    return { data: webhook, secret }
  },
})
