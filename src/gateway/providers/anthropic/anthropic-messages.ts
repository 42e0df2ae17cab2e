import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { answerLimitOf } from '#chat/tokens/answer-limit.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { EncodedRequest, ProtocolTarget, ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { findSetFields } from '../../protocol/repairs/absent-fields.ts'
import { wrapFormatSchema } from '../../protocol/repairs/answer-format.ts'
import { isCustomTool, withFunctionTools } from '../../protocol/repairs/custom-tools.ts'
import { repairBody } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assemblingBodyReader, assemblingReader } from '../../protocol/tool-calls/assembling-readers.ts'
import { generatedImagesField } from '../content.ts'
import { readRefusalMessage } from '../errors/error-message.ts'
import { readCount } from '../token-counts.ts'
import { anthropicReader, readAnthropicMessage } from './answer/anthropic-answer.ts'
import { replaceFormatByTool } from './anthropic-answer-format.ts'
import { anthropicForms } from './anthropic-forms.ts'
import { adaptForAnthropic } from './anthropic-passthrough.ts'
import { anthropicRequest, thinkingFor } from './anthropic-request.ts'
import { anthropicRules, chatFieldName, fieldsAnthropicLacks } from './anthropic-rules.ts'
import { canThinkWith } from './anthropic-thinking.ts'
import { anthropicBillable, encodeProviderTool } from './anthropic-tools.ts'

/** Anthropic messages: separate system prompt, signed reasoning, cache breakpoints. */
export const anthropicMessages: ProviderProtocol = {
  protocol: 'anthropic-messages',
  encode: (request, target) => {
    const { chat, customTools } = withFunctionTools(wrapFormatSchema(request))
    const encoded = encodeRequest('/messages', anthropicRequest(chat, target.endpoint, target.stream), target)
    const { canSample } = thinkingFor(chat, target.endpoint)
    const droppedFields = findSetFields(chat as Body, fieldsAnthropicLacks(chat as Body, canSample))
    const dropped = [...droppedFields, ...generatedImagesField(chat.messages), ...encoded.dropped.map(chatFieldName)]
    return { ...encoded, customTools, dropped }
  },
  passThrough: (body, target, source) =>
    encodeRequest('/messages', { ...adaptForAnthropic(body, target.endpoint), stream: target.stream }, target, source),
  countTokens: {
    // The repairs of reasoning need the answer limit, which is removed afterwards.
    request: (body, target) => {
      const encoded = encodeRequest('/messages/count_tokens', adaptForAnthropic(body, target.endpoint), target)
      return { ...encoded, body: toCountableBody(encoded.body) }
    },
    read: (answer) => readCount((answer as { input_tokens?: unknown } | undefined)?.input_tokens),
  },
  answerLimit: sentAnswerLimit,
  billableOptions: anthropicBillable,
  supportsTool: (tool) => isCustomTool(tool) || encodeProviderTool(tool) !== undefined,
  canThink: (chat, endpoint) => canThinkWith(endpoint, thinkingFor(chat, endpoint)),
  reader: assemblingReader(anthropicReader),
  forms: anthropicForms,
  readBody: assemblingBodyReader(readAnthropicMessage),
  errorMessage: readRefusalMessage,
}

/** Encodes a body that has Anthropic's form. Repairs what Anthropic would refuse. */
function encodeRequest(
  path: string,
  body: Body,
  { credential }: ProtocolTarget,
  source?: JsonSource,
): EncodedRequest & { dropped: readonly string[] } {
  const { body: formatted, answerTool } = replaceFormatByTool(body)
  const { body: repaired, dropped, aliases } = repairBody(formatted, anthropicRules)
  return {
    path,
    headers: { 'anthropic-version': '2023-06-01', ...(credential !== undefined && { 'x-api-key': credential }) },
    body: repaired,
    source,
    dropped,
    aliases,
    answerTool,
  }
}

/** The answer limit that is sent. A limit of the client is sent even if it is above the catalogue's. */
function sentAnswerLimit(chat: ChatRequest, endpoint: Endpoint): number {
  return Math.max(thinkingFor(chat, endpoint).maxTokens, answerLimitOf(chat) ?? 0)
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
