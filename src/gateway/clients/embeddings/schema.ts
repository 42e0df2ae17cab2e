import { z } from '#platform/json/schema.ts'

const Embedding = z.looseObject({
  object: z.literal('embedding'),
  index: z.int().describe('The position of the input.'),
  embedding: z.union([z.array(z.number()), z.string()]).describe('A list of numbers, or base64 if it was requested.'),
})

export const Embeddings = z
  .looseObject({
    id: z.string(),
    object: z.literal('list'),
    data: z.array(Embedding).describe('One vector for each input, in their order.'),
    model: z.string(),
    provider: z.string().optional(),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      total_tokens: z.int(),
      cost: z.number().optional().describe('In USD.'),
    }),
  })
  .meta({ id: 'Embeddings', description: 'The vectors of all inputs.' })
