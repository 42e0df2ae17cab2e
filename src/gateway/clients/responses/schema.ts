import { z } from '#platform/json/schema.ts'

const Item = z
  .looseObject({ id: z.string().nullish(), type: z.string() })
  .meta({ id: 'ResponseOutputItem', description: 'A message, a thought, or a call of a tool.' })

export const Response = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number().describe('Unix time in seconds.'),
    status: z.string().describe('Such as `completed`, `incomplete`, `failed`.'),
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
  .meta({ id: 'Response', description: 'A whole response.' })

/** One event of the stream, named by its `type`. */
export const ResponseEvent = z
  .looseObject({
    type: z.string().describe('Such as `response.created`, `response.output_text.delta`, `response.completed`.'),
    sequence_number: z.int().optional(),
    response: Response.partial().optional().describe('In the events that begin and end the response.'),
    item: Item.optional(),
    output_index: z.int().optional(),
    delta: z.string().optional().describe('What is added.'),
  })
  .meta({ id: 'ResponseEvent', description: 'One event of a streamed response.' })
