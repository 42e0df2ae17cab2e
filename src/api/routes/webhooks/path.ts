import { z } from '#platform/json/schema.ts'

export const WebhookPath = z.object({ webhookId: z.string().min(1).max(128) })
