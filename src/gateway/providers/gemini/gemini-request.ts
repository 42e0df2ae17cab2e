import type { Endpoint } from '#catalogue/index/model.ts'
import { answerLimitOf } from '#chat/answer-limit.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { Body } from '../../protocol/protocol.ts'
import { withPlainToolChoice } from '../../protocol/repairs/plain-tool-choice.ts'
import { chosenFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import { emptyAnswer } from '../empty-answer.ts'
import { contentsOf, systemInstructionOf } from './gemini-contents.ts'
import { needsSignatures, thinkingConfigOf } from './gemini-thinking.ts'
import { ownTool } from './gemini-tools.ts'

/** Encodes a chat request for Gemini. */
export function geminiRequest(chatRequest: ChatRequest, endpoint: Endpoint): Body {
  const chat = withPlainToolChoice(chatRequest)
  const config = generationConfigOf(chat, endpoint)
  return withoutNulls({
    ...promptOf(chat, endpoint),
    tools: toolsOf(chat.tools),
    toolConfig: toolConfigOf(chat),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
    safetySettings: chat.safety_settings,
  })
}

/** At least one turn is required. Without one, the instructions become the turn. */
function promptOf({ messages }: ChatRequest, { upstreamModel }: Endpoint): Body {
  const systemInstruction = systemInstructionOf(messages)
  const contents = contentsOf(messages, upstreamModel)
  if (contents.length > 0) return { systemInstruction, contents }
  if (!systemInstruction) throw emptyAnswer()
  return { contents: [{ role: 'user', ...systemInstruction }] }
}

/** Gemini accepts a seed of 32 bits. */
const maxSeed = 2 ** 31

function generationConfigOf(chat: ChatRequest, { upstreamModel, maxCompletionTokens }: Endpoint): Body {
  const maxOutputTokens = answerLimitOf(chat)
  const stop = typeof chat.stop === 'string' ? [chat.stop] : chat.stop
  return withoutNulls({
    maxOutputTokens,
    temperature: chat.temperature,
    topP: chat.top_p,
    topK: chat.top_k,
    seed: chat.seed == null ? undefined : Math.trunc(chat.seed) % maxSeed,
    frequencyPenalty: chat.frequency_penalty,
    presencePenalty: chat.presence_penalty,
    stopSequences: stop?.length ? stop : undefined,
    thinkingConfig: thinkingConfigOf(chat, upstreamModel, maxOutputTokens ?? maxCompletionTokens ?? undefined),
    responseModalities: chat.modalities?.map((modality) => modality.toUpperCase()),
    ...(!excludesFormat(chat, { upstreamModel }) && responseFormatOf(chat)),
  })
}

/** Whether a model refuses an answer format beside functions, as up to version 2.5. */
export function excludesFormat(
  { tools, response_format: format }: ChatRequest,
  { upstreamModel }: Pick<Endpoint, 'upstreamModel'>,
): boolean {
  const isFormatted = format?.type === 'json_object' || format?.type === 'json_schema'
  return isFormatted && !needsSignatures(upstreamModel) && Boolean(tools?.some((tool) => tool.function))
}

function responseFormatOf({ response_format: format }: ChatRequest): Body {
  if (format?.type === 'json_object') return { responseMimeType: 'application/json' }
  if (format?.type !== 'json_schema') return {}
  const { schema } = (format.json_schema ?? {}) as { schema?: unknown }
  return { responseMimeType: 'application/json', responseJsonSchema: schema }
}

/** Puts all functions into one tool. Other tools belong to Gemini. */
function toolsOf(tools: ChatTool[] | null | undefined): Body[] | undefined {
  if (!tools?.length) return undefined
  const functionDeclarations = tools.flatMap(({ function: declared }) => {
    if (!declared) return []
    const { name, description, parameters } = declared
    return [withoutNulls({ name, description, parametersJsonSchema: parameters })]
  })
  const others = tools.flatMap((tool): Body[] => {
    const own = tool.function ? undefined : ownTool(tool)
    return own ? [own] : []
  })
  return functionDeclarations.length > 0 ? [{ functionDeclarations }, ...others] : others
}

function toolConfigOf({ tool_choice: choice, tools }: ChatRequest): Body | undefined {
  if (!tools?.length || choice == null) return undefined
  const toolConfig = (functionCallingConfig: object) => ({ functionCallingConfig })
  if (choice === 'none') return toolConfig({ mode: 'NONE' })
  if (choice === 'required' || choice === 'any') return toolConfig({ mode: 'ANY' })
  const name = chosenFunction(choice)
  return name ? toolConfig({ mode: 'ANY', allowedFunctionNames: [name] }) : toolConfig({ mode: 'AUTO' })
}
