import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { Webhook } from '#webhooks/webhook.ts'
import { listWebhooks } from '#webhooks/webhooks.ts'
import { route } from '../route.ts'
import { webhookRoles } from './route-fields.ts'

export const listWebhooksRoute = route({
  method: 'get',
  path: '/webhooks',
  tag: 'webhooks',
  key: 'management',
  roles: webhookRoles,
  summary: 'List the webhooks of a workspace',
  description: 'Secrets are never returned.',
  request: {
    query: PageQuery.extend({
      workspace_id: z
        .string()
        .optional()
        .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
    }),
  },
  response: pageOf(Webhook),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: ({ query, caller }, deps) => listWebhooks(deps, caller, query),
})
