import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { answerLimitOf } from '#chat/tokens/answer-limit.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { findSetFields, findUnknownFields } from '../../protocol/repairs/absent-fields.ts'
import { wrapFormatSchema } from '../../protocol/repairs/answer-format.ts'
import { isCustomTool, withFunctionTools } from '../../protocol/repairs/custom-tools.ts'
import { repairBody } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import { assemblingBodyReader, assemblingReader } from '../../protocol/tool-calls/assembling-readers.ts'
import { readRefusalMessage } from '../errors/error-message.ts'
import { geminiReader, readGenerated } from './gemini-answer.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'
import { geminiForms } from './gemini-forms.ts'
import { excludesFormat, geminiRequest, lacksFormat } from './gemini-request.ts'
import { fieldsGeminiLacks, geminiRules } from './gemini-rules.ts'
import { encodeProviderTool, geminiBillable } from './gemini-tools.ts'

/** Google Gemini, natively: the path contains the model, and an answer consists of candidates with parts. */
export const googleGemini: ProviderProtocol = {
  protocol: 'google-gemini',
  tasks: { embeddings: geminiEmbeddings },
  encode: (request, { endpoint, credential, stream }) => {
    const { chat, customTools } = withFunctionTools(wrapFormatSchema(request))
    const { body, dropped, aliases } = repairBody(geminiRequest(chat, endpoint), geminiRules)
    return {
      path: `/models/${endpoint.upstreamModel}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: { ...(credential !== undefined && { 'x-goog-api-key': credential }) },
      body,
      dropped: [...findSetFields(chat as Body, missingFields(chat, endpoint)), ...dropped],
      aliases,
      customTools,
    }
  },
  answerLimit: answerLimitOf,
  billableOptions: geminiBillable,
  supportsTool: (tool) => isCustomTool(tool) || encodeProviderTool(tool) !== undefined,
  reader: assemblingReader(geminiReader),
  forms: geminiForms,
  readBody: assemblingBodyReader(readGenerated),
  errorMessage: readRefusalMessage,
}

function missingFields(chat: ChatRequest, endpoint: Endpoint): string[] {
  const format = excludesFormat(chat, endpoint) || lacksFormat(chat) ? ['response_format'] : []
  // The voice in `audio` is sent.
  const unknown = findUnknownFields(chat as Body).filter((name) => name !== 'audio')
  return [...fieldsGeminiLacks, ...format, ...unknown]
}
