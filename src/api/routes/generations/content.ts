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
  .meta({ id: 'GenerationContentError', description: 'Why there is no answer, or no whole one.' })

export const GenerationContent = z
  .object({
    input: z.object({
      messages: z
        .array(z.unknown())
        .describe('As guardrails let them through, in the form of chat completions, whatever the client speaks.'),
      parameters: z
        .record(z.string(), z.unknown())
        .nullable()
        .optional()
        .describe(
          'The other fields of the request, in the same form: temperature, tools and the like. Null where they are too long to be kept.',
        ),
    }),
    output: z.object({
      completion: z.string().nullable(),
      reasoning: z.string().nullable(),
      tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    }),
    error: ContentError.nullable(),
    truncated: z.boolean().describe('Whether some was left out, as it is too long; where, is marked.'),
  })
  .meta({ id: 'GenerationContent', description: 'What was asked and answered.' })
