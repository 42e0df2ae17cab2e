import { z } from '#platform/json/schema.ts'

const Item = z
  .looseObject({ id: z.string().nullish(), type: z.string() })
  .meta({ id: 'ResponseOutputItem', description: 'A message, reasoning, or a tool call.' })

export const Response = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number().describe('Unix time in seconds.'),
    status: z.string().describe('For example `completed`, `incomplete` or `failed`.'),
    model: z.string(),
    output: z.array(Item),
    usage: z
      .looseObject({
        input_tokens: z.int(),
        output_tokens: z.int(),
        total_tokens: z.int(),
        cost: z.number().optional().describe('In USD.'),
      })
      .nullish(),
  })
  .meta({ id: 'Response', description: 'A complete response.' })

/** One event of the stream, named by its `type`. */
export const ResponseEvent = z
  .looseObject({
    type: z.string().describe('For example `response.created`, `response.output_text.delta` or `response.completed`.'),
    sequence_number: z.int().optional(),
    response: Response.partial().optional().describe('Present in the first and the last event of the response.'),
    item: Item.optional(),
    output_index: z.int().optional(),
    delta: z.string().optional().describe('The added text.'),
  })
  .meta({ id: 'ResponseEvent', description: 'One event of a streamed response.' })
