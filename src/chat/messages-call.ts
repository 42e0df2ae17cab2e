import { z } from '#platform/json/schema.ts'
import { Reasoning } from './fields/generation-fields.ts'
import { requiredFields } from './fields/required-fields.ts'
import { MessagesRequest } from './messages-request.ts'

/** The body of a call: `MessagesRequest`, with the fields of presets and the values that real clients send. */
export const MessagesCall = MessagesRequest.extend({
  preset: z.string().optional().describe('The slug of a preset, which supplies the missing fields.'),
  max_tokens: z.int().min(0).optional().describe('0 only fills the prompt cache.'),
  thinking: z
    .looseObject({ type: z.string(), budget_tokens: z.int().nullish() })
    .nullish()
    .describe('`enabled` with `budget_tokens`, `adaptive`, `between_tools` or `disabled`.'),
  reasoning: Reasoning.nullish().describe('The service’s equivalent of `thinking`.'),
  output_format: z
    .looseObject({ type: z.string(), schema: z.looseObject({}).optional() })
    .nullish()
    .describe('Deprecated: use `output_config.format`.'),
}).meta({
  id: 'MessagesCall',
  description: 'A messages request. Without a preset, `model` or `models` is required.',
  ...requiredFields(),
})
export type MessagesCall = z.infer<typeof MessagesCall>
