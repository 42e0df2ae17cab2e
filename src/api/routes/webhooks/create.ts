import { z } from '#platform/json/schema.ts'
import { NewWebhook, Webhook, WebhookSecret } from '#webhooks/webhook.ts'
import { createWebhook } from '#webhooks/webhooks.ts'
import { route } from '../route.ts'

export const createOneWebhook = route({
  method: 'post',
  path: '/webhooks',
  tag: 'webhooks',
  key: 'management',
  summary: 'Make a webhook: an address that hears what the interns of a workspace do, and how its limits stand',
  description:
    'What is sent is signed as Standard Webhooks has it, so that its libraries verify it. It hears of the interns that all of the workspace see, and of those that the same member made; of spending limits of the workspace, its guardrails and its keys, once for each period when 80 % are spent and once when all is.',
  request: { body: NewWebhook },
  status: 201,
  response: z.object({ data: Webhook, secret: WebhookSecret }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => {
    const { webhook, secret } = await createWebhook(deps, caller, body)
    return { data: webhook, secret }
  },
})
