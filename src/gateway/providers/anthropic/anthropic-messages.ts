import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { EncodedRequest, ProtocolTarget, ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { isCustomTool, withFunctionTools } from '../../protocol/repairs/custom-tools.ts'
import { repairBody } from '../../protocol/repairs/repair.ts'
import { moveFormatSchema } from '../../protocol/repairs/response-format.ts'
import { findSetFields } from '../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assembleBodyCalls, assembleStreamCalls } from '../../protocol/tool-calls/assembling-readers.ts'
import { listDroppedImageFields, listDroppedSpeech } from '../content.ts'
import { readErrorBodyMessage } from '../errors/error-message.ts'
import { readCount } from '../token-counts.ts'
import { anthropicNormalization } from './anthropic-normalization.ts'
import { adaptForAnthropic } from './anthropic-passthrough.ts'
import { encodeAnthropicRequest, thinkingSettingsFor } from './anthropic-request.ts'
import { replaceFormatByTool } from './anthropic-response-format.ts'
import { anthropicRules, listUnsupportedFields, toChatFieldName } from './anthropic-rules.ts'
import { canReasonWith } from './anthropic-thinking.ts'
import { encodeProviderTool, readAnthropicBillableOptions } from './anthropic-tools.ts'
import { createAnthropicReader, readAnthropicMessage } from './response/anthropic-response.ts'

/** Anthropic messages: separate system prompt, signed reasoning, cache breakpoints. */
export const anthropicMessages: ProviderProtocol = {
  protocol: 'anthropic-messages',
  encode: (request, target) => {
    const { chat, customTools } = withFunctionTools(moveFormatSchema(request))
    const encoded = encodeRequest('/messages', encodeAnthropicRequest(chat, target.endpoint, target.stream), target)
    const { canSample } = thinkingSettingsFor(chat, target.endpoint)
    return {
      ...encoded,
      customTools,
      dropped: [...listDroppedFields(chat, canSample), ...encoded.dropped.map(toChatFieldName)],
    }
  },
  passThrough: (body, target, source) =>
    encodeRequest('/messages', { ...adaptForAnthropic(body, target.endpoint), stream: target.stream }, target, source),
  countTokens: {
    // Removes `max_tokens` only after the repairs of reasoning, which need the limit.
    request: (body, target) => {
      const encoded = encodeRequest('/messages/count_tokens', adaptForAnthropic(body, target.endpoint), target)
      return { ...encoded, body: toCountableBody(encoded.body) }
    },
    read: (response) => readCount((response as { input_tokens?: unknown } | undefined)?.input_tokens),
  },
  outputLimit: sentOutputLimit,
  billableOptions: readAnthropicBillableOptions,
  supportsTool: (tool) => isCustomTool(tool) || encodeProviderTool(tool) !== undefined,
  canReason: (chat, endpoint) => canReasonWith(endpoint, thinkingSettingsFor(chat, endpoint)),
  createReader: assembleStreamCalls(createAnthropicReader),
  normalization: anthropicNormalization,
  readBody: assembleBodyCalls(readAnthropicMessage),
  readErrorMessage: readErrorBodyMessage,
}

/** The fields of a chat that its translation drops. */
function listDroppedFields(chat: ChatRequest, canSample: boolean): string[] {
  const fields = chat as Body
  return [
    ...findSetFields(fields, listUnsupportedFields(fields, canSample)),
    ...listDroppedImageFields(chat.messages),
    ...listDroppedSpeech(chat.messages),
  ]
}

/** Builds the HTTP request for a body in Anthropic's format, after repairs of what Anthropic would refuse. */
function encodeRequest(
  path: string,
  body: Body,
  { credential }: ProtocolTarget,
  source?: JsonSource,
): EncodedRequest & { dropped: readonly string[] } {
  const { body: formatted, outputTool } = replaceFormatByTool(body)
  const { body: repaired, dropped, aliases } = repairBody(formatted, anthropicRules)
  return {
    path,
    headers: { 'anthropic-version': '2023-06-01', ...(credential !== undefined && { 'x-api-key': credential }) },
    body: repaired,
    source,
    dropped,
    aliases,
    outputTool,
  }
}

/** The output limit that is sent. A limit of the client is sent even if it exceeds that of the catalogue. */
function sentOutputLimit(chat: ChatRequest, endpoint: Endpoint): number {
  return Math.max(thinkingSettingsFor(chat, endpoint).maxTokens, outputLimitOf(chat) ?? 0)
}

/** The fields that Anthropic's token counting accepts. It refuses others, such as `max_tokens`. */
const countedFields = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'mcp_servers',
]
const toCountableBody = (body: Body) =>
  Object.fromEntries(countedFields.filter((name) => name in body).map((name) => [name, body[name]]))
