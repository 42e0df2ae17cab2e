import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { simplifyToolChoice } from '../../protocol/repairs/tool-choice.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readChosenFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import { emptyRequestFault } from '../empty-request.ts'
import { encodeContents, encodeSystemInstruction } from './gemini-contents.ts'
import { encodeThinkingConfig, isBeforeVersion3 } from './gemini-thinking.ts'
import { encodeProviderTool } from './gemini-tools.ts'

/** Encodes a chat request for Gemini. */
export function encodeGeminiRequest(chatRequest: ChatRequest, endpoint: Endpoint): Body {
  const chat = simplifyToolChoice(chatRequest)
  const config = encodeGenerationConfig(chat, endpoint)
  return withoutNulls({
    ...encodePrompt(chat, endpoint),
    tools: encodeTools(chat.tools),
    toolConfig: encodeToolConfig(chat),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
    safetySettings: chat.safety_settings,
  })
}

/** Gemini requires at least one turn. Without one, the instructions become the turn. */
function encodePrompt({ messages }: ChatRequest, { upstreamModel }: Endpoint): Body {
  const systemInstruction = encodeSystemInstruction(messages)
  const contents = encodeContents(messages, upstreamModel)
  if (contents.length > 0) return { systemInstruction, contents }
  if (!systemInstruction) throw emptyRequestFault()
  return { contents: [{ role: 'user', ...systemInstruction }] }
}

/** Gemini accepts a signed number of 32 bits. */
const maxSeed = 2 ** 31

function encodeGenerationConfig(chat: ChatRequest, { upstreamModel, maxCompletionTokens }: Endpoint): Body {
  const maxOutputTokens = outputLimitOf(chat)
  const stop = typeof chat.stop === 'string' ? [chat.stop] : chat.stop
  return withoutNulls({
    maxOutputTokens,
    temperature: chat.temperature,
    topP: chat.top_p,
    // 0 and -1 disable it on other servers.
    topK: chat.top_k != null && chat.top_k > 0 ? chat.top_k : undefined,
    seed: chat.seed == null ? undefined : Math.trunc(chat.seed) % maxSeed,
    frequencyPenalty: chat.frequency_penalty,
    presencePenalty: chat.presence_penalty,
    stopSequences: stop?.length ? stop : undefined,
    thinkingConfig: encodeThinkingConfig(chat, upstreamModel, maxOutputTokens ?? maxCompletionTokens ?? undefined),
    ...encodeModalities(chat),
    imageConfig: encodeImageConfig(chat),
    ...(!refusesFormat(chat, { upstreamModel }) && encodeResponseFormat(chat)),
  })
}

/**
 * The kinds of content of the response. Gemini's models that speak answer with speech alone. A voice in lower case is one of
 * OpenAI, which Gemini does not have.
 */
function encodeModalities({ modalities, audio }: ChatRequest & { audio?: { voice?: unknown } | null }): Body {
  if (!modalities?.includes('audio'))
    return { responseModalities: modalities?.map((modality) => modality.toUpperCase()) }
  const { voice } = audio ?? {}
  const isOwnVoice = typeof voice === 'string' && /^[A-Z]/.test(voice)
  const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } }
  return { responseModalities: ['AUDIO'], ...(isOwnVoice && { speechConfig }) }
}

/** The options of generated images, in Gemini's names. */
function encodeImageConfig({ image_config: config }: ChatRequest): Body | undefined {
  if (!config) return undefined
  const { aspect_ratio: aspectRatio, image_size: imageSize } = config
  const encoded = withoutNulls({ aspectRatio, imageSize })
  return Object.keys(encoded).length > 0 ? encoded : undefined
}

const geminiFormats: ReadonlySet<unknown> = new Set(['text', 'json_object', 'json_schema'])

/** Whether Gemini lacks the type of a response format, such as a grammar. */
export const isUnknownFormat = ({ response_format: format }: ChatRequest): boolean =>
  format != null && !geminiFormats.has(format.type)

/** Whether a model refuses the response format of a request. Gemini up to version 2.5 refuses one beside functions. */
export function refusesFormat(
  { tools, response_format: format }: ChatRequest,
  { upstreamModel }: Pick<Endpoint, 'upstreamModel'>,
): boolean {
  const isFormatted = format?.type === 'json_object' || format?.type === 'json_schema'
  return isFormatted && isBeforeVersion3(upstreamModel) && Boolean(tools?.some((tool) => tool.function))
}

function encodeResponseFormat({ response_format: format }: ChatRequest): Body {
  if (format?.type === 'json_object') return { responseMimeType: 'application/json' }
  if (format?.type !== 'json_schema') return {}
  const { schema } = (format.json_schema ?? {}) as { schema?: unknown }
  return { responseMimeType: 'application/json', responseJsonSchema: schema }
}

/** Puts all functions into one tool, as Gemini expects them. Other tools are those that Gemini runs. */
function encodeTools(tools: ChatTool[] | null | undefined): Body[] | undefined {
  if (!tools?.length) return undefined
  const functionDeclarations = tools.flatMap(({ function: declared }) => {
    if (!declared) return []
    const { name, description, parameters } = declared
    return [withoutNulls({ name, description, parametersJsonSchema: parameters })]
  })
  const others = tools
    .filter((tool) => !tool.function)
    .map(encodeProviderTool)
    .filter((tool) => tool !== undefined)
  return functionDeclarations.length > 0 ? [{ functionDeclarations }, ...others] : others
}

function encodeToolConfig({ tool_choice: choice, tools }: ChatRequest): Body | undefined {
  if (!tools?.length || choice == null) return undefined
  const toolConfig = (functionCallingConfig: object) => ({ functionCallingConfig })
  if (choice === 'none') return toolConfig({ mode: 'NONE' })
  if (choice === 'required' || choice === 'any') return toolConfig({ mode: 'ANY' })
  const name = readChosenFunction(choice)
  return name ? toolConfig({ mode: 'ANY', allowedFunctionNames: [name] }) : toolConfig({ mode: 'AUTO' })
}
