import { z } from '#platform/json/schema.ts'

export const InternPath = z.object({
  internId: z.string().min(1).max(200).describe('The intern’s id, or its name.'),
})

export const SessionPath = InternPath.extend({
  sessionId: z.string().min(1).max(256).describe('The session’s id, as `session_id` of a reply tells it.'),
})

export const RunPath = InternPath.extend({
  runId: z
    .string()
    .min(1)
    .max(512)
    .describe('The run’s id, as `run_id` of a transcript or a run in the background tells it.'),
})
