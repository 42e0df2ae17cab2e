import { z } from 'zod'

export const WebhookPath = z.object({ webhookId: z.string().min(1).max(128) })
