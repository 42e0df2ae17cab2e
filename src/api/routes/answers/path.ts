import { z } from '#platform/json/schema.ts'

export const AnswerPath = z.object({ token: z.string().min(1).max(512) })
