import type { ResponsesRequest } from '#chat/responses-request.ts'

/** The parts of a body that a version stores, under the field names of responses bodies. */
export type PresetSettings = { systemPrompt: string | null; config: Record<string, unknown> }

/** The fields that configure generation and routing. All others belong to one call. */
const storedFields = [
  'model',
  'models',
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'max_output_tokens',
  'max_tool_calls',
  'top_logprobs',
  'reasoning',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'plugins',
  'provider',
  'route',
  'service_tier',
  'modalities',
  'image_config',
  'cache_control',
  'prompt_cache_options',
  'stop_server_tools_when',
  'truncation',
] as const satisfies (keyof typeof ResponsesRequest.shape)[]

/** The fields of a responses body that a preset stores. */
export const fieldsFromResponses: ReadonlySet<string> = new Set([...storedFields, 'instructions'])

/** Stores all values unchanged, including null. */
export function settingsFromResponses(body: ResponsesRequest): PresetSettings {
  return { systemPrompt: body.instructions ?? null, config: withoutDefaults(pick(body, storedFields)) }
}

/** Omits a default that some clients send with every request. */
export function withoutDefaults({ service_tier, ...config }: Record<string, unknown>): Record<string, unknown> {
  return service_tier === undefined || service_tier === 'auto' ? config : { ...config, service_tier }
}

/** The service tier in the words of OpenAI. A preset that was saved from a messages body has those of Anthropic. */
export const toOpenAiServiceTier = (tier: unknown): unknown => (tier === 'standard_only' ? 'default' : tier)

export function pick(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]))
}

/** Removes fields that upstreams of the protocol do not know from a filled-in body. Fields of the client stay. */
export function createForeignFieldFilter(foreignFields: ReadonlySet<string>) {
  return (filledBody: Record<string, unknown>, clientBody: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(filledBody).filter(([name]) => name in clientBody || !foreignFields.has(name)))
}

/** The object; undefined if it is empty. */
export function undefinedIfEmpty(fields: Record<string, unknown>): Record<string, unknown> | undefined {
  return Object.keys(fields).length > 0 ? fields : undefined
}
