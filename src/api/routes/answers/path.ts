import { z } from '#lib/schema.ts'

export const AnswerPath = z.object({ token: z.string().min(1).max(512) })
