import { z } from '#platform/json/schema.ts'
import { deleteWebhook } from '#webhooks/webhooks.ts'
import { webhookEntity } from '../entities.ts'
import { route } from '../route.ts'
import { WebhookParams } from './route-fields.ts'

export const deleteWebhookRoute = route({
  method: 'delete',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  key: 'management',
  summary: 'Delete a webhook',
  description: 'Pending deliveries are not sent, and answer links in past deliveries stop working.',
  request: { params: WebhookParams },
  response: z.object({ deleted: z.literal(true) }),
  ifMatch: webhookEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteWebhook(deps, caller, params.webhookId)
    return { deleted: true as const }
  },
})
