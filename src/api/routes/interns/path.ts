import { z } from 'zod'

export const InternPath = z.object({
  internId: z.string().min(1).max(200).describe('The intern’s id, or its name.'),
})
