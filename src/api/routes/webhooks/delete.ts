import { z } from '#platform/json/schema.ts'
import { deleteWebhook } from '#webhooks/webhooks.ts'
import { route } from '../route.ts'
import { WebhookPath } from './path.ts'

export const deleteOneWebhook = route({
  method: 'delete',
  path: '/webhooks/{webhookId}',
  tag: 'webhooks',
  key: 'management',
  summary: 'Delete a webhook',
  description: 'What was still to be sent there is not sent, and the links that it told no longer answer.',
  request: { params: WebhookPath },
  response: z.object({ deleted: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteWebhook(deps, caller, params.webhookId)
    return { deleted: true as const }
  },
})
