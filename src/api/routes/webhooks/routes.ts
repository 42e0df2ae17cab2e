import type { Route } from '../route.ts'
import { createWebhookRoute } from './create.ts'
import { deleteWebhookRoute } from './delete.ts'
import { getWebhookRoute } from './get.ts'
import { listWebhooksRoute } from './list.ts'
import { listWebhookDeliveries } from './list-deliveries.ts'
import { retryWebhookDelivery } from './retry-delivery.ts'
import { rotateWebhookSecret } from './rotate-secret.ts'
import { testWebhook } from './send-test.ts'
import { updateWebhook } from './update.ts'

export const webhookRoutes = {
  listWebhooks: listWebhooksRoute,
  createWebhook: createWebhookRoute,
  getWebhook: getWebhookRoute,
  updateWebhook,
  deleteWebhook: deleteWebhookRoute,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
} satisfies Record<string, Route>
