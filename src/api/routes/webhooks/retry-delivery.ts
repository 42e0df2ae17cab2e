import { z } from '#platform/json/schema.ts'
import { retryDelivery, WebhookDelivery } from '#webhooks/delivery.ts'
import { getWebhook } from '#webhooks/webhooks.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { WebhookParams } from './route-fields.ts'

export const retryWebhookDelivery = route({
  method: 'post',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}/retry',
  tag: 'webhooks',
  key: 'management',
  summary: 'Retry a webhook delivery',
  description: 'Sends the event again with the same ID, also after a successful delivery.',
  request: { params: WebhookParams.extend({ deliveryId: z.string().min(1).max(128) }), body: NoBody },
  status: 202,
  response: z.object({ data: WebhookDelivery }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    const webhook = await getWebhook(deps, caller, params.webhookId)
    return { data: await retryDelivery(deps, webhook, params.deliveryId) }
  },
})
