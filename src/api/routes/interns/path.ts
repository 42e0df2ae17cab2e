import { SessionId } from '#interns/turns/chat-request.ts'
import { z } from '#platform/json/schema.ts'

export const InternPath = z.object({
  internId: z.string().min(1).max(200).describe('ID or name of the intern.'),
})

export const SessionPath = InternPath.extend({
  sessionId: SessionId.describe('The ID of the session, as `session_id` in a reply.'),
})

export const RunPath = InternPath.extend({
  runId: z
    .string()
    .min(1)
    .max(512)
    .describe('The ID of the run, as `run_id` in the transcript or in the answer of a background run.'),
})
