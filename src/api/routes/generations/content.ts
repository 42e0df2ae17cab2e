import { z } from '#platform/json/schema.ts'

const raw = z.string().nullable()

const ContentError = z
  .object({
    message: z.string().nullable(),
    status: z.int().nullable(),
    provider_name: z.string().nullable(),
    raw,
    previous_errors: z.array(
      z.object({ code: z.int(), message: z.string(), provider_name: z.string().nullable(), raw }),
    ),
  })
  .meta({ id: 'GenerationContentError', description: 'The reason for a missing or partial response.' })

export const GenerationContent = z
  .object({
    input: z.object({
      messages: z
        .array(z.unknown())
        .describe(
          'The messages after the content filters of guardrails, in the format of chat completions for every client protocol.',
        ),
      parameters: z
        .record(z.string(), z.unknown())
        .nullable()
        .optional()
        .describe(
          'The other fields of the request in the same format, such as `temperature` and `tools`. Null if they are too long to be stored.',
        ),
    }),
    output: z.object({
      completion: z.string().nullable(),
      reasoning: z.string().nullable(),
      tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    }),
    error: ContentError.nullable(),
    truncated: z.boolean().describe('Whether long text was cut. The position is marked.'),
  })
  .meta({ id: 'GenerationContent', description: 'The prompt and the response.' })
