import { requireFieldOfType } from '#platform/json/conditional-rules.ts'
import { z } from '#platform/json/schema.ts'
import { EndUser, SessionId, Trace } from './fields/call-fields.ts'
import { CacheControl, OutputLimit } from './fields/generation-fields.ts'
import { Plugin, ProviderPreferences, Route, StopCondition } from './fields/routing-fields.ts'
import { toolList } from './fields/tool-list.ts'
import { Content } from './message.ts'

/** A tool of the caller (without a type, or of type `custom`), or a tool of the provider, identified by its type. */
export const MessagesTool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().optional(),
  description: z.string().nullish(),
  input_schema: z.looseObject({}).nullish(),
})
export type MessagesTool = z.infer<typeof MessagesTool>

export const MessagesToolChoice = requireFieldOfType(
  z.looseObject({
    type: z.enum(['auto', 'any', 'none', 'tool']),
    name: z.string().optional(),
    disable_parallel_tool_use: z.boolean().nullish(),
  }),
  { tool: 'name' },
)
export type MessagesToolChoice = z.infer<typeof MessagesToolChoice>

export const Thinking = requireFieldOfType(
  z.looseObject({ type: z.enum(['enabled', 'disabled', 'adaptive']), budget_tokens: z.int().nullish() }),
  { enabled: 'budget_tokens' },
)
export type Thinking = z.infer<typeof Thinking>

const OutputConfig = z.looseObject({
  effort: z.string().nullish(),
  format: z.looseObject({ type: z.string(), schema: z.looseObject({}).optional() }).nullish(),
})

/**
 * The body of a messages request (Anthropic). No defaults are filled in, and unknown fields are accepted. `models`,
 * `fallbacks`, `provider`, `route`, `plugins`, `stop_server_tools_when`, `session_id`, `user` and `trace` are fields of this
 * service.
 */
export const MessagesRequest = z
  .looseObject({
    messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content })).min(1),
    system: Content.optional(),
    model: z.string().optional(),
    models: z.array(z.string()).nullish(),
    /** Read as `models` if that is missing. */
    fallbacks: z.array(z.looseObject({ model: z.string() })).nullish(),
    max_tokens: OutputLimit.optional(),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    top_k: z.int().nullish(),
    stop_sequences: z.array(z.string()).nullish(),
    thinking: Thinking.nullish(),
    output_config: OutputConfig.nullish(),
    tools: toolList(MessagesTool).nullish(),
    tool_choice: MessagesToolChoice.nullish(),
    provider: ProviderPreferences.nullish(),
    route: Route,
    plugins: z.array(Plugin).nullish(),
    cache_control: CacheControl.nullish(),
    service_tier: z.string().nullish(),
    stop_server_tools_when: z.array(StopCondition).min(1).optional(),
    stream: z.boolean().nullish(),
    metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
    session_id: SessionId.nullish(),
    user: EndUser.nullish(),
    trace: Trace.nullish(),
  })
  .meta({ id: 'MessagesRequest', description: 'The body of a messages request.' })
export type MessagesRequest = z.infer<typeof MessagesRequest>
