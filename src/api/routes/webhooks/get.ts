import { z } from '#platform/json/schema.ts'
import { Webhook } from '#webhooks/webhook.ts'
import { getWebhook } from '#webhooks/webhooks.ts'
import { webhookEntity } from '../entities.ts'
import { route } from '../route.ts'
import { WebhookParams, webhookRoles } from './route-fields.ts'
export const getWebhookRoute = route({
  method: 'get',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  key: 'management',
  roles: webhookRoles,
  summary: 'Get a webhook and its state',
  description: 'The secret is never returned.',
  request: { params: WebhookParams },
  response: z.object({ data: Webhook }),
  etag: webhookEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => ({
    data: await getWebhook(deps, caller, params.webhookId),
  }),
})
