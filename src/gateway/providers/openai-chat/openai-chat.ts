import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { answerLimitOf, answerLimitPatch, type LimitName } from '#chat/tokens/answer-limit.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { EncodedRequest, ProtocolTarget, ProviderProtocol } from '../../protocol/provider-protocol.ts'
import {
  chooseEffort,
  foreignThinkingFields,
  isReasoningModel,
  readThinkingSetting,
} from '../../protocol/reasoning-budget.ts'
import { findSetFields } from '../../protocol/repairs/absent-fields.ts'
import { isCustomTool, withFunctionTools } from '../../protocol/repairs/custom-tools.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assemblingBodyReader, assemblingReader } from '../../protocol/tool-calls/assembling-readers.ts'
import { openaiEmbeddings } from '../embeddings/openai-embeddings.ts'
import { readRefusalMessage } from '../errors/error-message.ts'
import { chatBillable } from '../openai/openai-tools.ts'
import { chatForms } from './forms/openai-chat-forms.ts'
import { type Completion, chatReader, readCompletion } from './openai-chat-answer.ts'
import { findCompatibility } from './openai-chat-compatibility.ts'
import { optionalSettings, simplifyChat } from './openai-chat-plain.ts'
import { repairChat } from './openai-chat-rules.ts'

/** OpenAI chat completions, the protocol of most providers. */
export const openaiChat: ProviderProtocol = {
  protocol: 'openai-chat',
  tasks: { embeddings: openaiEmbeddings },
  encode: (request, target) => {
    const accepts = findCompatibility(target.endpoint).acceptsCustomTools
    const { chat, customTools } = accepts ? { chat: request, customTools: undefined } : withFunctionTools(request)
    const simplified = simplifyChat(chat, target.endpoint)
    const encoded = encodePlain(simplified, target)
    return {
      ...encoded,
      customTools,
      dropped: [...findSetFields(chat as Body, droppedFieldsOf(chat, simplified)), ...encoded.dropped],
    }
  },
  passThrough: (body, target, source) => (isTranslated(body, target) ? undefined : encodePlain(body, target, source)),
  answerLimit: answerLimitOf,
  billableOptions: chatBillable,
  runsUnrequestedTools: true,
  // Custom tools belong to the protocol. Provider tools do not.
  supportsTool: isCustomTool,
  reader: assemblingReader(chatReader),
  isStateless: true,
  endsByMark: true,
  forms: chatForms,
  readBody: assemblingBodyReader((body) => readCompletion(body as Completion)),
  errorMessage: readRefusalMessage,
}

/** Most servers ignore or refuse the predecessor of tools and custom tools, so they are translated. */
function isTranslated({ functions, tools }: Body, { endpoint }: ProtocolTarget): boolean {
  const hasCustom = Array.isArray(tools) && tools.some(isCustomTool)
  if (functions == null && !hasCustom) return false
  const { acceptsFunctions, acceptsCustomTools } = findCompatibility(endpoint)
  return (functions != null && !acceptsFunctions) || (hasCustom && !acceptsCustomTools)
}

function encodePlain(
  body: Body,
  target: ProtocolTarget,
  source?: JsonSource,
): EncodedRequest & { dropped: readonly string[] } {
  const changed = changedBody(body, changesOf(body, target))
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

const droppedFieldsOf = (chat: ChatRequest, plain: ChatRequest) =>
  optionalSettings.filter((name) => chat[name] != null && plain[name] == null)

/** The body with the changes. They come first, as in a body whose received bytes are changed, so that both are the same JSON. */
function changedBody(body: Body, changes: Body): Body {
  const sent: Body = { ...changes }
  for (const name in body) if (!Object.hasOwn(changes, name)) sent[name] = body[name]
  return sent
}

/**
 * The changed members of the body for the upstream; undefined for removed ones. Many servers refuse null for a setting without
 * a value.
 */
function changesOf(body: Body, { endpoint, stream }: ProtocolTarget): Body {
  const changes: Body = answerLimitPatch(body, limitNameFor(endpoint))
  for (const name in body) if (serviceOnlyFields.has(name) || body[name] === null) changes[name] = undefined
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
  const { acceptsReasoning = false, reasonsByEffort = false } = findCompatibility(endpoint)
  const isForeign = reasonsByEffort && foreignThinkingFields.some((name) => chat[name] != null)
  if (!isForeign && (chat.reasoning == null || acceptsReasoning)) return {}
  const removed = ['reasoning', ...(isForeign ? foreignThinkingFields : [])].map((name) => [name, undefined])
  const effort = mustOmitEffort(chat, endpoint) ? undefined : effortIn(chat)
  return { ...Object.fromEntries(removed), ...(effort !== undefined && { reasoning_effort: effort }) }
}

function effortIn(chat: ChatRequest): string | undefined {
  const setting = readThinkingSetting(chat)
  return setting && (setting.enabled ? chooseEffort(setting) : 'none')
}

/** Whether the model does not reason, so that strict servers refuse an effort that the client did not send itself. */
function mustOmitEffort({ reasoning_effort }: ChatRequest, endpoint: Endpoint): boolean {
  return reasoning_effort == null && !isReasoningModel(endpoint)
}

/**
 * The name of the answer limit. Later OpenAI models know only the new name, most providers only the old one, and unknown
 * names are ignored.
 */
function limitNameFor({ upstreamModel, supportedParameters }: Endpoint): LimitName {
  const isNew = /^(?:o\d|gpt-[5-9])/.test(upstreamModel) || supportedParameters.includes('max_completion_tokens')
  return isNew ? 'max_completion_tokens' : 'max_tokens'
}
