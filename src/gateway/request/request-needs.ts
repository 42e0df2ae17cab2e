import type { ChatRequest } from '#chat/chat-request.ts'
import { minTokens } from '#chat/tokens/prompt-size.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { RequestNeeds } from '../plan/plan.ts'

/** Fields of a body, and the catalogue's name for the parameter if it differs. */
const parameterNames: Record<string, string> = {
  max_completion_tokens: 'max_tokens',
  reasoning_effort: 'reasoning',
}

const parameters = [
  'temperature',
  'top_p',
  'top_k',
  'top_a',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'seed',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
] as const

/**
 * The capabilities that an endpoint must have for the request.
 * @param smallestContext the smallest context length among the endpoints.
 * @param requireParameters whether an endpoint must have all parameters of the request.
 * @param hasSeparateContexts whether each message has its own context.
 */
export function findNeeds(
  chat: ChatRequest,
  smallestContext: number,
  requireParameters: boolean,
  hasSeparateContexts = false,
): RequestNeeds {
  return {
    parameters: requireParameters ? usedParameters(chat) : [],
    required: requiredParameters(chat),
    inputModalities: inputModalities(chat),
    promptTokens: hasSeparateContexts ? longestMessage(chat, smallestContext) : minTokens(chat, smallestContext),
  }
}

/** The minimum tokens of the longest message. */
function longestMessage({ messages }: ChatRequest, smallestContext: number): number {
  let longest = 0
  for (const message of messages) longest = Math.max(longest, minTokens({ messages: [message] }, smallestContext))
  return longest
}

function usedParameters(chat: ChatRequest): string[] {
  const usedNames = parameters.filter((name) => chat[name] != null && !isEmpty(chat[name]))
  return [...new Set(usedNames.map((name) => parameterNames[name] ?? name))]
}

/** Parameters whose absence would make the response wrong, not just different. */
function requiredParameters(chat: ChatRequest): string[] {
  const required: string[] = []
  if (chat.tools?.length) required.push('tools')
  if (chat.response_format?.type === 'json_schema') required.push('structured_outputs')
  return required
}

/** Files are not listed, because many providers convert them to text. */
const modalityOfPart: Record<string, string> = {
  image_url: 'image',
  input_audio: 'audio',
  audio_url: 'audio',
  video_url: 'video',
}

function inputModalities(chat: ChatRequest): string[] {
  const modalities: string[] = []
  for (const { content } of chat.messages) {
    if (!Array.isArray(content)) continue
    for (const { type } of content) {
      const modality = ownValue(modalityOfPart, type)
      if (modality && !modalities.includes(modality)) modalities.push(modality)
    }
  }
  return modalities
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
