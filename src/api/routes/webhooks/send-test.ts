import { z } from '#platform/json/schema.ts'
import { queueTest, WebhookDelivery } from '#webhooks/delivery.ts'
import { getWebhook } from '#webhooks/webhooks.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { WebhookParams } from './route-fields.ts'

export const testWebhook = route({
  method: 'post',
  path: '/webhooks/{webhookId}/test',
  tag: 'webhooks',
  key: 'management',
  summary: 'Send a `webhook.test` event to a webhook',
  description: 'The event is sent like all others. `GET /webhooks/{webhookId}/deliveries` shows the result.',
  request: { params: WebhookParams, body: NoBody },
  status: 202,
  response: z.object({ data: WebhookDelivery }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    const webhook = await getWebhook(deps, caller, params.webhookId)
    return { data: await queueTest(deps, webhook) }
  },
})
