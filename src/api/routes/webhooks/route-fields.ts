import { z } from '#platform/json/schema.ts'

export const WebhookParams = z.object({ webhookId: z.string().min(1).max(128) })

/** Only managers see webhooks: URLs often contain a secret of their creator. */
export const webhookRoles = ['owner', 'admin'] as const
