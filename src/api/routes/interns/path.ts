import { z } from 'zod'

export const InternPath = z.object({
  internId: z.string().min(1).max(200).describe('The intern’s id, or its name.'),
})

export const SessionPath = InternPath.extend({
  sessionId: z.string().min(1).max(256).describe('The session’s id, as `session_id` of a reply tells it.'),
})
