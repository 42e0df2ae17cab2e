import { z } from 'zod'

export const AnswerPath = z.object({ token: z.string().min(1).max(512) })
