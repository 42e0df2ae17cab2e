import { z } from '#platform/json/schema.ts'
import { NewWebhook, Webhook, WebhookSecret } from '#webhooks/webhook.ts'
import { createWebhook } from '#webhooks/webhooks.ts'
import { route } from '../route.ts'

export const createWebhookRoute = route({
  method: 'post',
  path: '/webhooks',
  tag: 'webhooks',
  key: 'management',
  summary: 'Create a webhook for intern and budget events of a workspace',
  description:
    'Deliveries are signed according to Standard Webhooks, and can be verified with its libraries. The webhook receives events of interns that are shared with the workspace or created by the same member. It also receives events of the spending limits of the workspace, its guardrails and keys: one per period at each threshold, by default at 50, 80 and 100 %.',
  request: { body: NewWebhook },
  status: 201,
  response: z.object({ data: Webhook, secret: WebhookSecret }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => {
    const { webhook, secret } = await createWebhook(deps, caller, body)
    return { data: webhook, secret }
  },
})
