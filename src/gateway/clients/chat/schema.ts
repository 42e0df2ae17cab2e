import { z } from '#platform/json/schema.ts'

/** The fields that every response has. Other fields of the provider are passed through. */
const Usage = z
  .looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    cost: z.number().optional().describe('In USD.'),
  })
  .meta({ id: 'CompletionUsage', description: 'Token usage of a completion.' })

const FinishReason = z
  .string()
  .nullable()
  .describe('For example `stop`, `length`, `tool_calls`, `content_filter` or `error`.')

const Message = z
  .looseObject({
    role: z.string(),
    content: z.string().nullable(),
    refusal: z.string().nullish(),
    reasoning: z.string().nullish(),
    tool_calls: z.array(z.looseObject({ id: z.string(), type: z.string() })).optional(),
  })
  .meta({ id: 'CompletionMessage' })

export const Completion = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int().describe('Unix time in seconds.'),
    model: z.string(),
    provider: z.string().optional(),
    choices: z.array(z.looseObject({ index: z.int(), message: Message, finish_reason: FinishReason })),
    usage: Usage.optional(),
  })
  .meta({ id: 'Completion', description: 'A complete response.' })

const Delta = z
  .looseObject({
    role: z.string().optional(),
    content: z.string().nullish(),
    reasoning: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z
      .array(z.looseObject({ index: z.int(), id: z.string().optional(), type: z.string().optional() }))
      .optional(),
  })
  .meta({ id: 'CompletionDelta', description: 'The addition of the chunk to the message.' })

/** One `data:` line. The line `[DONE]` ends the stream. */
export const CompletionChunk = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int().describe('Unix time in seconds.'),
    model: z.string(),
    provider: z.string().optional(),
    choices: z.array(z.looseObject({ index: z.int(), delta: Delta, finish_reason: FinishReason })),
    usage: Usage.nullish().describe('Present only in the last chunk.'),
    session_id: z.string().nullish().describe('For interns, in the last chunk: the session to continue.'),
    activity: z
      .looseObject({ type: z.enum(['tool_call', 'plan']) })
      .optional()
      .describe(
        'For interns, with `stream_options.include_activity`: the current state of a tool call or of the plan, as `InternToolCall` or `InternPlan`.',
      ),
    error: z
      .looseObject({ code: z.int(), message: z.string() })
      .optional()
      .describe('Why the stream ended early. `code` is the corresponding HTTP status.'),
  })
  .meta({ id: 'CompletionChunk', description: 'One event of a streamed response. `[DONE]` follows the last event.' })
