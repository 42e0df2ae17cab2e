import { answerLimitOf } from '#chat/answer-limit.ts'
import type { ProviderProtocol } from '../protocol.ts'
import { messageOfRefusal } from './error-code.ts'
import { geminiReader, readGenerated } from './gemini-answer.ts'
import { geminiRequest } from './gemini-request.ts'
import { geminiBillable, ownTool } from './gemini-tools.ts'

/** Google Gemini, natively: the model stands in the path, and an answer comes as candidates made of parts. */
export const googleGemini: ProviderProtocol = {
  protocol: 'google-gemini',
  encode: (chat, { endpoint, credential, stream }) => ({
    path: `/models/${endpoint.upstreamModel}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { ...(credential !== undefined && { 'x-goog-api-key': credential }) },
    body: JSON.stringify(geminiRequest(chat, endpoint)),
  }),
  answerLimit: answerLimitOf,
  billableOptions: geminiBillable,
  knowsTool: (tool) => ownTool(tool) !== undefined,
  reader: geminiReader,
  readBody: readGenerated,
  contextErrors: {
    messages: [
      /input token count(?: \((?<tokens>\d+)\))? exceeds the maximum number of tokens allowed(?: \(?(?<limit>\d+)\)?)?/i,
    ],
  },
  errorMessage: messageOfRefusal,
}
