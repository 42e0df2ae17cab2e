import { SessionId } from '#interns/turns/chat-request.ts'
import { z } from '#platform/json/schema.ts'

export const InternParams = z.object({
  internId: z.string().min(1).max(200).describe('ID or name of the intern.'),
})

export const SessionParams = InternParams.extend({
  sessionId: SessionId.describe('The ID of the session, as `session_id` in a reply.'),
})

export const RunParams = InternParams.extend({
  runId: z
    .string()
    .min(1)
    .max(512)
    .describe('The ID of the run, as `run_id` in the transcript or in the response of a background run.'),
})
