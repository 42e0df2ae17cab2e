import { requireFieldOfType } from '#platform/json/conditional-rules.ts'
import { z } from '#platform/json/schema.ts'
import { EndUser } from './fields/call-fields.ts'
import { ChoiceCount, OutputLimit } from './fields/generation-fields.ts'
import { inputItemSchema } from './fields/input-item-schema.ts'
import { requiredFields } from './fields/required-fields.ts'
import { toolList } from './fields/tool-list.ts'
import { FunctionTool, inputError, ResponsesRequest, TextOptions } from './responses-request.ts'

/** A tool of any type. Functions require a name. */
const Tool = requireFieldOfType(
  z.looseObject({ ...FunctionTool.shape, type: z.string(), name: z.string().optional() }),
  { function: 'name' },
)

const ToolChoice = z.union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.string() })], {
  error: 'must be "auto", "none", "required" or an object with a type, such as {type: "function", name}',
})

/** The body of a call: `ResponsesRequest`, with the fields of presets and the values that real clients send. */
export const ResponsesCall = ResponsesRequest.extend({
  input: z.union([z.string(), z.array(z.looseObject({}).meta(inputItemSchema))], inputError).optional(),
  preset: z.string().optional().describe('The slug of a preset, which supplies the missing fields.'),
  transforms: z.array(z.string()).nullish().describe('`middle-out` removes the middle of a prompt that is too long.'),
  max_output_tokens: OutputLimit.nullish(),
  n: ChoiceCount.nullish().describe(
    'Not part of this protocol. Forwarded; values above 1 are rejected if the request is translated.',
  ),
  best_of: ChoiceCount.nullish().describe('Not part of this protocol. Forwarded and included in the cost bound.'),
  tools: toolList(Tool).nullish(),
  service_tier: z.string().nullish().describe('Defaults to `auto`. Providers have additional tiers.'),
  include: z.array(z.string()).nullish(),
  tool_choice: ToolChoice.nullish(),
  stream: z.boolean().nullish().describe('Defaults to false.'),
  store: z.boolean().nullish().describe('Defaults to false.'),
  text: TextOptions.nullish(),
  user: EndUser.nullish(),
}).meta({
  id: 'ResponsesCall',
  description: 'A responses request. Without a preset, `model` or `models` is required, and `input` or `instructions`.',
  ...requiredFields(['input', 'instructions']),
})
export type ResponsesCall = z.infer<typeof ResponsesCall>
