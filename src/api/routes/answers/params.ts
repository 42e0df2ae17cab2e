import { z } from '#platform/json/schema.ts'

export const AnswerParams = z.object({ token: z.string().min(1).max(512) })
