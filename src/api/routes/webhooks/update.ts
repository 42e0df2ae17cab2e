import { z } from '#platform/json/schema.ts'
import { Webhook, WebhookPatch } from '#webhooks/webhook.ts'
import { changeWebhook } from '#webhooks/webhooks.ts'
import { webhookEntity } from '../entities.ts'
import { route } from '../route.ts'
import { WebhookParams } from './route-fields.ts'

export const updateWebhook = route({
  method: 'patch',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  key: 'management',
  summary: 'Update, disable or enable a webhook',
  description: 'Missing fields stay unchanged. Pending deliveries are sent to the new URL.',
  request: { params: WebhookParams, body: WebhookPatch },
  response: z.object({ data: Webhook }),
  etag: webhookEntity,
  ifMatch: webhookEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    data: await changeWebhook(deps, caller, params.webhookId, body),
  }),
})
