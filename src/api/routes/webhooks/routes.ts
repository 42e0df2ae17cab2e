import type { Route } from '../route.ts'
import { createOneWebhook } from './create.ts'
import { deleteOneWebhook } from './delete.ts'
import { getOneWebhook } from './get.ts'
import { listAllWebhooks } from './list.ts'
import { listWebhookDeliveries } from './list-deliveries.ts'
import { retryWebhookDelivery } from './retry-delivery.ts'
import { rotateWebhookSecret } from './rotate-secret.ts'
import { testWebhook } from './send-test.ts'
import { updateWebhook } from './update.ts'

export const webhookRoutes = {
  listWebhooks: listAllWebhooks,
  createWebhook: createOneWebhook,
  getWebhook: getOneWebhook,
  updateWebhook,
  deleteWebhook: deleteOneWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
} satisfies Record<string, Route>
