import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { isCustomTool, withFunctionTools } from '../../protocol/repairs/custom-tools.ts'
import { repairBody } from '../../protocol/repairs/repair.ts'
import { moveFormatSchema } from '../../protocol/repairs/response-format.ts'
import { findSetFields, findUnknownFields } from '../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assembleBodyCalls, assembleStreamCalls } from '../../protocol/tool-calls/assembling-readers.ts'
import { listDroppedSpeech } from '../content.ts'
import { readErrorBodyMessage } from '../errors/error-message.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'
import { geminiNormalization } from './gemini-normalization.ts'
import { encodeGeminiRequest, isUnknownFormat, refusesFormat } from './gemini-request.ts'
import { createGeminiReader, readGeminiBody } from './gemini-response.ts'
import { fieldsUnsupportedByGemini, geminiRules } from './gemini-rules.ts'
import { encodeServiceTier, isUnknownTier } from './gemini-service-tier.ts'
import { encodeProviderTool, readGeminiBillableOptions } from './gemini-tools.ts'

/** Google Gemini, natively: the path contains the model, and a response consists of candidates with parts. */
export const googleGemini: ProviderProtocol = {
  protocol: 'google-gemini',
  tasks: { embeddings: geminiEmbeddings },
  encode: (request, { endpoint, credential, stream }) => {
    const { chat, customTools } = withFunctionTools(moveFormatSchema(request))
    const tier = encodeServiceTier(chat, endpoint)
    const { body, dropped, aliases } = repairBody(
      { ...encodeGeminiRequest(chat, endpoint), ...tier.fields },
      geminiRules,
    )
    return {
      path: `/models/${endpoint.upstreamModel}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: { ...(credential !== undefined && { 'x-goog-api-key': credential }), ...tier.headers },
      body,
      dropped: [
        ...findSetFields(chat as Body, listUnsupportedFields(chat, endpoint)),
        ...listDroppedSpeech(chat.messages),
        ...dropped,
      ],
      aliases,
      customTools,
    }
  },
  outputLimit: outputLimitOf,
  billableOptions: readGeminiBillableOptions,
  supportsTool: (tool) => isCustomTool(tool) || encodeProviderTool(tool) !== undefined,
  createReader: assembleStreamCalls(createGeminiReader),
  normalization: geminiNormalization,
  readBody: assembleBodyCalls(readGeminiBody),
  readErrorMessage: readErrorBodyMessage,
}

function listUnsupportedFields(chat: ChatRequest, endpoint: Endpoint): string[] {
  const format = refusesFormat(chat, endpoint) || isUnknownFormat(chat) ? ['response_format'] : []
  const tier = isUnknownTier(chat) ? ['service_tier'] : []
  // The voice in `audio` is sent.
  const unknown = findUnknownFields(chat as Body).filter((name) => name !== 'audio')
  return [...fieldsUnsupportedByGemini, ...format, ...tier, ...unknown]
}
