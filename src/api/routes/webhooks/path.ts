import { z } from '#lib/schema.ts'

export const WebhookPath = z.object({ webhookId: z.string().min(1).max(128) })
