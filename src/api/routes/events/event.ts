import { internStatuses, visibilities } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'
import { GenerationAnswer } from '../generations/generation.ts'

const at = z.iso.datetime().describe('When it happened.')

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
  .meta({ id: 'InternChanged', description: 'The data of an event `intern`.' })

const QuestionChanged = z
  .looseObject({
    id: z.string(),
    intern_id: z.uuid(),
    intern_name: z.string(),
    workspace_id: z.string(),
    session_id: z.string(),
    state: z.enum(['waiting', 'answered', 'ended']).describe('`ended`: no answer is taken any more.'),
    answered_by: z.string().optional().describe('The member who answered.'),
    at,
    asked_at: z.iso.datetime().optional(),
    deadline_at: z.iso.datetime().optional(),
    kind: z.enum(['permission', 'elicitation']).optional(),
  })
  .meta({
    id: 'QuestionChanged',
    description:
      'The data of an event `question`. While it waits, for those who may answer, with what `GET /interns/{internId}/questions` says of it.',
  })

const CircuitChanged = z
  .object({
    endpoint: z.string(),
    workspace_id: z.string().nullable().describe('The workspace whose own provider key it is about.'),
    state: z
      .enum(['open', 'paused', 'half_open', 'closed'])
      .describe('`open`: not asked, as too many requests failed. `paused`: it asked to be left alone.'),
    reason: z.string().nullable(),
    until: z.iso.datetime().nullable(),
    server: z.string().describe('Each process has circuits of its own: which one this is.'),
    at,
  })
  .meta({ id: 'CircuitChanged', description: 'The data of an event `circuit`.' })

const Reset = z
  .object({ reason: z.string() })
  .meta({ id: 'EventsReset', description: 'The data of an event `reset`: lists are to be loaded again.' })

export const LiveEventData = z
  .union([GenerationAnswer, QuestionChanged, InternChanged, CircuitChanged, Reset])
  .meta({ id: 'LiveEvent', description: 'The data of an event; which one it is, its type says.' })
