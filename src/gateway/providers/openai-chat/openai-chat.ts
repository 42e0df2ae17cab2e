import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { type LimitName, outputLimitOf, outputLimitPatch } from '#chat/tokens/output-limit.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { EncodedRequest, ProtocolTarget, ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { isReasoningModel } from '../../protocol/reasoning-models.ts'
import { chooseEffort, readReasoningOptions, vendorReasoningFields } from '../../protocol/reasoning-options.ts'
import { isCustomTool, withFunctionTools } from '../../protocol/repairs/custom-tools.ts'
import { findSetFields } from '../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assembleBodyCalls, assembleStreamCalls } from '../../protocol/tool-calls/assembling-readers.ts'
import { openaiEmbeddings } from '../embeddings/openai-embeddings.ts'
import { readErrorBodyMessage } from '../errors/error-message.ts'
import { readChatBillableOptions } from '../openai/openai-tools.ts'
import { chatNormalization } from './normalization/openai-chat-normalization.ts'
import { findCompatibility } from './openai-chat-compatibility.ts'
import { type Completion, createChatReader, readCompletion } from './openai-chat-response.ts'
import { repairChat } from './openai-chat-rules.ts'
import { optionalSettings, simplifyChat } from './openai-chat-simplification.ts'

/** OpenAI chat completions, the protocol of most providers. */
export const openaiChat: ProviderProtocol = {
  protocol: 'openai-chat',
  tasks: { embeddings: openaiEmbeddings },
  encode: (request, target) => {
    const accepts = findCompatibility(target.endpoint).acceptsCustomTools
    const { chat, customTools } = accepts ? { chat: request, customTools: undefined } : withFunctionTools(request)
    const simplified = simplifyChat(chat, target.endpoint)
    const encoded = encodeChat(simplified, target)
    return {
      ...encoded,
      customTools,
      dropped: [...findSetFields(chat as Body, listDroppedSettings(chat, simplified)), ...encoded.dropped],
    }
  },
  passThrough: (body, target, source) =>
    needsTranslation(body, target) ? undefined : encodeChat(body, target, source),
  outputLimit: outputLimitOf,
  billableOptions: readChatBillableOptions,
  runsUnrequestedTools: true,
  // Custom tools belong to the protocol. Provider tools do not.
  supportsTool: isCustomTool,
  createReader: assembleStreamCalls(createChatReader),
  isStateless: true,
  isCompletedByEndMark: true,
  normalization: chatNormalization,
  readBody: assembleBodyCalls((body) => readCompletion(body as Completion)),
  readErrorMessage: readErrorBodyMessage,
}

/** Whether a body has `functions` or custom tools that the server does not support. These are translated. */
function needsTranslation(body: Body, { endpoint }: ProtocolTarget): boolean {
  const { functions, tools } = body
  const hasCustom = Array.isArray(tools) && tools.some(isCustomTool)
  if (functions == null && !hasCustom) return false
  const { acceptsFunctions, acceptsCustomTools } = findCompatibility(endpoint)
  return (functions != null && (!acceptsFunctions || needsTools(body))) || (hasCustom && !acceptsCustomTools)
}

/** Whether a body with `functions` also has fields that OpenAI accepts only for `tools`. Presets add them. */
function needsTools({ functions, ...body }: Body): boolean {
  const hasField = ['tools', 'tool_choice', 'parallel_tool_calls'].some((name) => body[name] != null)
  return hasField || (Array.isArray(functions) && functions.some((one?: Body | null) => one?.strict != null))
}

function encodeChat(
  body: Body,
  target: ProtocolTarget,
  source?: JsonSource,
): EncodedRequest & { dropped: readonly string[] } {
  const changed = applyChanges(body, listChanges(body, target))
  const { body: sent, dropped: repaired, aliases } = repairChat(changed, target.endpoint)
  const { credential, endpoint } = target
  const isIgnored = body.reasoning != null && mustOmitEffort(body as ChatRequest, endpoint)
  const dropped = isIgnored ? ['reasoning', ...repaired] : repaired
  return {
    path: '/chat/completions',
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    body: sent,
    source,
    dropped,
    aliases,
  }
}

const listDroppedSettings = (chat: ChatRequest, plain: ChatRequest) =>
  optionalSettings.filter((name) => chat[name] != null && plain[name] == null)

/** Applies changes to a body. Changed fields are first, as in bodies whose received bytes are changed, so the JSON is the same. */
function applyChanges(body: Body, changes: Body): Body {
  const sent: Body = { ...changes }
  for (const name in body) if (!Object.hasOwn(changes, name)) sent[name] = body[name]
  return sent
}

/**
 * The changed fields of the body for the upstream; undefined for removed ones. Many servers refuse null for a setting without
 * a value.
 */
function listChanges(body: Body, { endpoint, stream }: ProtocolTarget): Body {
  const changes: Body = outputLimitPatch(body, limitNameFor(endpoint))
  for (const name in body)
    if (serviceOnlyFields.has(name) || (body[name] === null && !Object.hasOwn(changes, name))) changes[name] = undefined
  changes.model = endpoint.upstreamModel
  changes.stream = stream
  changes.stream_options =
    stream && !findCompatibility(endpoint).refusesStreamOptions
      ? { ...(body.stream_options as object), include_usage: true }
      : undefined
  return Object.assign(changes, reasoningChanges(body as ChatRequest, endpoint))
}

/** Translates `reasoning` of this service, and fields of other providers, to an effort, which most providers know. */
function reasoningChanges(chat: ChatRequest, endpoint: Endpoint): Body {
  const { acceptsReasoningObject = false, acceptsOnlyReasoningEffort = false } = findCompatibility(endpoint)
  const hasVendorFields = acceptsOnlyReasoningEffort && vendorReasoningFields.some((name) => chat[name] != null)
  if (!hasVendorFields && (chat.reasoning == null || acceptsReasoningObject)) return {}
  const removed = ['reasoning', ...(hasVendorFields ? vendorReasoningFields : [])].map((name) => [name, undefined])
  const effort = mustOmitEffort(chat, endpoint) ? undefined : readEffort(chat)
  return { ...Object.fromEntries(removed), ...(effort !== undefined && { reasoning_effort: effort }) }
}

function readEffort(chat: ChatRequest): string | undefined {
  const setting = readReasoningOptions(chat)
  return setting && (setting.enabled ? chooseEffort(setting) : 'none')
}

/** Whether the model does not reason. Strict servers then refuse an effort, so only an effort of the client is sent. */
function mustOmitEffort({ reasoning_effort }: ChatRequest, endpoint: Endpoint): boolean {
  return reasoning_effort == null && !isReasoningModel(endpoint)
}

/**
 * The name of the output limit. Later OpenAI models know only the new name, most providers only the old one, and unknown
 * names are ignored.
 */
function limitNameFor({ upstreamModel, supportedParameters }: Endpoint): LimitName {
  const isNew = /^(?:o\d|gpt-[5-9])/.test(upstreamModel) || supportedParameters.includes('max_completion_tokens')
  return isNew ? 'max_completion_tokens' : 'max_tokens'
}
