import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { deliveryStates, listDeliveries, WebhookDelivery } from '#webhooks/delivery.ts'
import { getWebhook } from '#webhooks/webhooks.ts'
import { route } from '../route.ts'
import { WebhookParams, webhookRoles } from './route-fields.ts'
export const listWebhookDeliveries = route({
  method: 'get',
  path: '/webhooks/{webhookId}/deliveries',
  tag: 'webhooks',
  key: 'management',
  roles: webhookRoles,
  summary: 'List the deliveries of a webhook, newest first',
  description: 'Stored for seven days after the delivery succeeded or failed.',
  request: {
    params: WebhookParams,
    query: PageQuery.extend({ state: z.enum(deliveryStates).optional().describe('Filter by state.') }),
  },
  response: pageOf(WebhookDelivery),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, query, caller }, deps) => {
    const { id } = await getWebhook(deps, caller, params.webhookId)
    return listDeliveries(deps, id, query)
  },
})
