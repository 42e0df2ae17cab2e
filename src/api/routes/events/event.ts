import { internStatuses, visibilities } from '#interns/registry/intern.ts'
import { ErrorEnvelope } from '#platform/http/response/envelope.ts'
import { z } from '#platform/json/schema.ts'
import { GenerationResponse } from '../../generations/generation-response.ts'

const at = z.iso.datetime().describe('The time of the event.')

const InternChanged = z
  .object({
    id: z.uuid(),
    name: z.string(),
    workspace_id: z.string(),
    creator_user_id: z.string(),
    visibility: z.enum(visibilities),
    status: z.enum([...internStatuses, 'deleted']),
    last_failure_message: z.string().nullable(),
    at,
  })
  .meta({ id: 'InternChanged', description: 'The data of an `intern` event.' })

const QuestionChanged = z
  .looseObject({
    id: z.string(),
    intern_id: z.uuid(),
    intern_name: z.string(),
    workspace_id: z.string(),
    session_id: z.string(),
    state: z.enum(['waiting', 'answered', 'ended']).describe('`ended`: answers are no longer accepted.'),
    answered_by: z.string().optional().describe('The member who answered.'),
    at,
    asked_at: z.iso.datetime().optional(),
    deadline_at: z.iso.datetime().optional(),
    kind: z.enum(['permission', 'elicitation']).optional(),
  })
  .meta({
    id: 'QuestionChanged',
    description:
      'The data of a `question` event. While the question is open, members who are allowed to answer also receive the fields of `GET /interns/{internId}/questions`.',
  })

const CircuitChanged = z
  .object({
    endpoint: z.string(),
    workspace_id: z.string().nullable().describe('The workspace of the provider key.'),
    state: z
      .enum(['open', 'paused', 'half_open', 'closed'])
      .describe('`open`: no requests are sent, because too many failed. `paused`: the endpoint requested a pause.'),
    reason: z.string().nullable(),
    until: z.iso.datetime().nullable(),
    server: z.string().describe('The process that the circuit breaker belongs to. Each process has its own.'),
    at,
  })
  .meta({ id: 'CircuitChanged', description: 'The data of a `circuit` event.' })

const Reset = z
  .object({ reason: z.string() })
  .meta({ id: 'EventsReset', description: 'The data of a `reset` event: lists must be loaded again.' })

export const LiveEventData = z
  .union([GenerationResponse, QuestionChanged, InternChanged, CircuitChanged, Reset, ErrorEnvelope])
  .meta({ id: 'LiveEvent', description: 'The data of an event, depending on its type. An `end` event has an error.' })
