import { z } from '#platform/json/schema.ts'
import { Debug, EndUser, SessionId, Trace } from './fields/call-fields.ts'
import { CacheControl, ImageConfig, PromptCacheOptions, Reasoning } from './fields/generation-fields.ts'
import { Metadata } from './fields/metadata.ts'
import { Plugin, ProviderPreferences, Route, ServiceTier, StopCondition } from './fields/routing-fields.ts'
import { toolList } from './fields/tool-list.ts'

export const FunctionTool = z
  .looseObject({
    type: z.literal('function'),
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish().describe('A JSON Schema.'),
    strict: z.boolean().nullish(),
  })
  .describe('A function the model may call.')

const Include = z.enum([
  'file_search_call.results',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'reasoning.encrypted_content',
  'code_interpreter_call.outputs',
])

export const inputError = { error: 'must be text or an array of input items (objects)' }
const Input = z.union([z.string(), z.array(z.looseObject({}))], inputError)

/** A stored prompt of the provider, with values for its variables. */
const StoredPrompt = z.looseObject({ id: z.string().optional(), variables: z.looseObject({}).nullish() })

export const TextOptions = z
  .looseObject({ format: z.looseObject({}).optional(), verbosity: z.string().nullish() })
  .describe('Format and verbosity of the text.')

/**
 * The body of a responses request, as specified. Presets contain it, and calls extend it. No field is required, no defaults
 * are filled in, and unknown fields are accepted.
 */
export const ResponsesRequest = z
  .looseObject({
    input: Input.optional(),
    instructions: z.string().nullish(),
    model: z.string().optional(),
    models: z.array(z.string()).optional().describe('Fallback models, in this order.'),
    background: z.boolean().nullish(),
    cache_control: CacheControl.optional(),
    debug: Debug.optional(),
    frequency_penalty: z.number().nullish(),
    presence_penalty: z.number().nullish(),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    image_config: ImageConfig.optional(),
    include: z.array(Include).nullish(),
    max_output_tokens: z.int().nullish(),
    max_tool_calls: z.int().nullish(),
    top_logprobs: z.int().nullish(),
    top_k: z.int().optional(),
    metadata: Metadata.nullish(),
    modalities: z.array(z.enum(['text', 'image'])).optional(),
    parallel_tool_calls: z.boolean().nullish(),
    plugins: z.array(Plugin).optional(),
    previous_response_id: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
    safety_identifier: z.string().nullish(),
    prompt: StoredPrompt.nullish(),
    prompt_cache_options: PromptCacheOptions.nullish(),
    provider: ProviderPreferences.nullish(),
    reasoning: Reasoning.nullish(),
    route: Route,
    service_tier: ServiceTier.nullish().describe('Defaults to `auto`.'),
    session_id: SessionId.optional(),
    stop_server_tools_when: z
      .array(StopCondition)
      .min(1)
      .optional()
      .describe('Overrides `max_tool_calls`; at least one condition.'),
    store: z.boolean().optional().describe('Defaults to false.'),
    stream: z.boolean().optional().describe('Defaults to false.'),
    text: TextOptions.optional(),
    tool_choice: z.enum(['auto']).optional(),
    tools: toolList(FunctionTool).optional(),
    trace: Trace.optional(),
    truncation: z.enum(['auto', 'disabled']).nullish(),
    user: EndUser.optional(),
  })
  .meta({ id: 'ResponsesRequest', description: 'The body of a responses-style request.' })
export type ResponsesRequest = z.infer<typeof ResponsesRequest>
