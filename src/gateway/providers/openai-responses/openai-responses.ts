import type { Endpoint } from '#catalogue/index/model.ts'
import { isEncodedThought } from '#chat/thought-encoding.ts'
import { renameOutputLimit } from '#chat/tokens/output-limit.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { EncodedRequest, ProtocolTarget, ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { repairBody } from '../../protocol/repairs/repair.ts'
import { moveFormatSchema } from '../../protocol/repairs/response-format.ts'
import { findSetFields, findUnknownFields } from '../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assembleBodyCalls, assembleStreamCalls } from '../../protocol/tool-calls/assembling-readers.ts'
import { listDroppedImageFields, listDroppedSpeech } from '../content.ts'
import { openaiEmbeddings } from '../embeddings/openai-embeddings.ts'
import { readErrorBodyMessage } from '../errors/error-message.ts'
import { encodeProviderTool, readResponsesBillableOptions } from '../openai/openai-tools.ts'
import { withoutServiceFields } from '../service-fields.ts'
import { responsesNormalization } from './openai-responses-normalization.ts'
import { computeOutputLimit, encodeResponsesRequest } from './openai-responses-request.ts'
import { readResponse } from './openai-responses-response.ts'
import { fieldsUnsupportedByResponses, responsesRules, toChatFieldName } from './openai-responses-rules.ts'
import { createResponsesReader } from './openai-responses-stream.ts'

/** OpenAI responses: items instead of messages, and encrypted reasoning. */
export const openaiResponses: ProviderProtocol = {
  protocol: 'openai-responses',
  tasks: { embeddings: openaiEmbeddings },
  encode: (chat, target) => {
    const encoded = encodeBody(encodeResponsesRequest(moveFormatSchema(chat), target.endpoint), target)
    const droppedFields = findSetFields(chat as Body, [
      ...fieldsUnsupportedByResponses,
      ...findUnknownFields(chat as Body),
    ])
    const dropped = [
      ...droppedFields,
      ...listDroppedImageFields(chat.messages),
      ...listDroppedSpeech(chat.messages),
      ...encoded.dropped.map(toChatFieldName),
    ]
    return { ...encoded, dropped }
  },
  passThrough: (body, target, source) => encodeBody(adaptForResponses(body, target.endpoint), target, source),
  outputLimit: computeOutputLimit,
  billableOptions: readResponsesBillableOptions,
  supportsTool: (tool) => encodeProviderTool(tool) !== undefined,
  createReader: assembleStreamCalls(createResponsesReader),
  normalization: responsesNormalization,
  readBody: assembleBodyCalls(readResponse),
  readErrorMessage: readErrorBodyMessage,
}

function encodeBody(
  requestBody: Body,
  target: ProtocolTarget,
  source?: JsonSource,
): EncodedRequest & { dropped: readonly string[] } {
  const { endpoint, credential, stream } = target
  const { body, dropped, aliases } = repairBody(
    { ...requestBody, model: endpoint.upstreamModel, stream },
    responsesRules,
  )
  return {
    path: '/responses',
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    body,
    source,
    dropped,
    aliases,
  }
}

/**
 * The body for an upstream of the same protocol. Upstreams store by default, so `store` is set to false unless the client
 * sets it. Without storage, reasoning is requested in encrypted form. Reasoning without that form is removed, because the
 * upstream could not find it.
 */
function adaptForResponses(body: Body, endpoint: Endpoint): Body {
  const clientBody = withoutServiceFields(body)
  const result: Body = { ...clientBody, store: clientBody.store ?? false }
  renameOutputLimit(result, 'max_output_tokens')
  const isUnusable = (item: unknown) => isNonOpenaiReasoning(item) || (result.store !== true && isEmptyReasoning(item))
  if (Array.isArray(clientBody.input) && clientBody.input.some(isUnusable))
    result.input = clientBody.input.filter((item) => !isUnusable(item))
  // OpenAI refuses a request with only instructions.
  if (isEmptyInput(result.input)) result.input = [{ role: 'user', content: '' }]
  if (result.store === false && endpoint.supportedParameters.includes('reasoning'))
    result.include = [...new Set([...((clientBody.include ?? []) as string[]), 'reasoning.encrypted_content'])]
  // Responses always have their usage. `stream_options.include_usage` belongs to chats, and OpenAI refuses it in this protocol.
  const { include_usage: _usage, ...options } = (clientBody.stream_options ?? {}) as Body
  if ('stream_options' in result) result.stream_options = Object.keys(options).length > 0 ? options : undefined
  if (typeof clientBody.reasoning === 'object' && clientBody.reasoning !== null)
    result.reasoning = withoutServiceReasoning(clientBody.reasoning)
  return result
}

function isEmptyInput(input: unknown): boolean {
  return input == null || input === '' || (Array.isArray(input) && input.length === 0)
}

/** Whether an item of reasoning has only an id, by which the provider would find its stored content. */
function isEmptyReasoning(item: unknown): boolean {
  const thought = item as { type?: string; encrypted_content?: unknown; content?: unknown; summary?: unknown }
  return (
    thought.type === 'reasoning' &&
    !thought.encrypted_content &&
    !hasParts(thought.content) &&
    !hasParts(thought.summary)
  )
}

const hasParts = (parts: unknown) => Array.isArray(parts) && parts.length > 0

/** Whether reasoning came from another provider. */
function isNonOpenaiReasoning(item: unknown): boolean {
  const { type, encrypted_content: encrypted } = item as { type?: string; encrypted_content?: unknown }
  return type === 'reasoning' && typeof encrypted === 'string' && isEncodedThought(encrypted)
}

/** Translates `enabled`, and removes `max_tokens`: fields of OpenRouter's `reasoning` that OpenAI refuses. */
function withoutServiceReasoning(reasoning: object): object {
  const {
    enabled,
    max_tokens: _budget,
    ...plain
  } = reasoning as { enabled?: unknown; max_tokens?: unknown; effort?: unknown }
  return enabled === false ? { ...plain, effort: plain.effort ?? 'none' } : plain
}
