import type { Message } from '#chat/message.ts'
import { readThoughts, type Thought } from '#chat/thoughts.ts'
import { pushAll } from '#platform/core/push-all.ts'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { isTextType } from '../../protocol/repairs/media-types.ts'
import { pairMessages } from '../../protocol/repairs/paired-results.ts'
import type { Body } from '../../protocol/request-body.ts'
import { parseJsonText, readCalledFunction, readCalledName } from '../../protocol/tool-calls/tool-arguments.ts'
import {
  isFailedResult,
  isInstruction,
  joinTexts,
  listGeneratedImages,
  type NormalizedPart,
  normalizeContent,
  readContentOrWords,
  rejectContainerFile,
} from '../content.ts'
import { nonGeminiCallIdPattern } from './gemini-call-id.ts'
import { needsSignatures } from './gemini-thinking.ts'

type Part = Record<string, unknown>
type Content = { role: 'user' | 'model'; parts: Part[] }

/** Gemini from version 3 on requires a signature for each call. This is Google's placeholder for calls of other models. */
const placeholderSignature = 'skip_thought_signature_validator'

/** The text of all system and developer messages. */
export function encodeSystemInstruction(messages: Message[]): Body | undefined {
  const parts = messages.filter(isInstruction).flatMap(({ content }) => normalizeContent(content).flatMap(toPart))
  return parts.length > 0 ? { parts } : undefined
}

/**
 * Translates messages to turns and merges consecutive ones of a role. Results get the name of their function, as Gemini
 * requires.
 */
export function encodeContents(messages: Message[], model: string): Content[] {
  const contents: Content[] = []
  const functionOfCall = new Map<string, string>()
  const quota = new JsonParseQuota()
  for (const message of pairMessages(messages)) {
    if (isInstruction(message)) continue
    if (message.role === 'assistant') addFunctionNames(message, functionOfCall)
    const parts = toParts(message, { functionOfCall, model, quota })
    if (parts.length === 0) continue
    const role = message.role === 'assistant' ? 'model' : 'user'
    const last = contents.at(-1)
    if (last?.role === role) pushAll(last.parts, parts)
    else contents.push({ role, parts })
  }
  // Gemini refuses a call that does not follow a turn of the user, and Vertex AI an empty text.
  return contents[0]?.role === 'model' ? [{ role: 'user', parts: [{ text: '.' }] }, ...contents] : contents
}

/** Adds the function of each call to `functionOfCall`. The result of the call gets its name. */
function addFunctionNames(message: Extract<Message, { role: 'assistant' }>, functionOfCall: Map<string, string>): void {
  for (const call of message.tool_calls ?? []) functionOfCall.set(call.id, readCalledName(call) ?? '')
}

type Conversation = { functionOfCall: ReadonlyMap<string, string>; model: string; quota: JsonParseQuota }

/** The parts of one content, for requests without a conversation, such as embeddings. */
export const encodeParts = (content: Message['content']): Part[] => normalizeContent(content).flatMap(toPart)

function toParts(message: Message, { functionOfCall, model, quota }: Conversation): Part[] {
  if (message.role === 'tool') return functionResponse(message, functionOfCall.get(message.tool_call_id), quota)
  const content = normalizeContent(readContentOrWords(message))
  if (message.role !== 'assistant') return content.flatMap(toPart)
  // The model needs its images to change them.
  const parts = [...content, ...listGeneratedImages(message)].flatMap(toPart)
  const thoughts = readThoughts(message, 'google-gemini-v1')
  return [...signLastPart(parts, thoughts), ...encodeFunctionCalls(message, thoughts, needsSignatures(model), quota)]
}

/** Adds the signature that belongs to no call to the last part. */
function signLastPart(parts: Part[], thoughts: Thought[]): Part[] {
  const thoughtSignature = thoughts.findLast(({ id }) => id === undefined)?.encrypted
  if (thoughtSignature === undefined) return parts
  const last = parts.at(-1)
  return last ? [...parts.slice(0, -1), { ...last, thoughtSignature }] : [{ text: '', thoughtSignature }]
}

/** The calls of a message. Gemini signs, and requires signed, only the first of parallel calls. */
function encodeFunctionCalls(
  { tool_calls: calls }: Extract<Message, { role: 'assistant' }>,
  thoughts: Thought[],
  needsSignature: boolean,
  quota: JsonParseQuota,
): Part[] {
  const thoughtOfCall = firstById(thoughts)
  return (calls ?? []).map((call, index) => {
    const { id } = call
    const ownSignature = thoughtOfCall.get(id)?.encrypted
    const thoughtSignature = ownSignature ?? (needsSignature && index === 0 ? placeholderSignature : undefined)
    return {
      functionCall: { ...toGeminiCallId(id), ...readCalledFunction(call, quota) },
      ...(thoughtSignature && { thoughtSignature }),
    }
  })
}

function firstById(thoughts: Thought[]): ReadonlyMap<string | undefined, Thought> {
  const byId = new Map<string | undefined, Thought>()
  for (const thought of thoughts) if (!byId.has(thought.id)) byId.set(thought.id, thought)
  return byId
}

/** A result of a function, which is an object for Gemini. Images and files of the result follow it as separate parts. */
function functionResponse(
  message: Extract<Message, { role: 'tool' }>,
  name: string | undefined,
  quota: JsonParseQuota,
): Part[] {
  const { tool_call_id: id } = message
  const content = normalizeContent(message.content)
  const texts = content.flatMap((part) => (part.kind === 'text' && part.text ? [part.text] : []))
  const attachments = content.filter(({ kind }) => kind !== 'text').flatMap(toPart)
  const response = encodeResponse(texts, isFailedResult(message), quota)
  return [{ functionResponse: { ...toGeminiCallId(id), name: name ?? '', response } }, ...attachments]
}

/**
 * Parses JSON only from a single text. Joined parts could contain JSON that no filter has scanned. JSON that exceeds the
 * quota remains a text.
 */
function encodeResponse(texts: string[], isError: boolean, quota: JsonParseQuota): object {
  const parsed = texts.length === 1 && quota.take(texts[0]!) ? parseJsonText(texts[0]!) : undefined
  // Gemini reads `$ref` as a reference to another part.
  const value = parsed === undefined || hasReference(parsed) ? joinTexts(texts) : parsed
  if (isError) return { error: value }
  return typeof value !== 'object' || value === null || Array.isArray(value) ? { output: value } : value
}

function hasReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference)
}

/** Returns the id of a call if Gemini created it. Other calls have none: Gemini finds their results by the function's name. */
function toGeminiCallId(id: string): { id?: string } {
  return nonGeminiCallIdPattern.test(id) ? {} : { id }
}

/** Gemini refuses files of text with types such as `application/json`, so they are sent as `text/plain`. */
const toTextType = (mediaType: string) =>
  isTextType(mediaType) && !mediaType.startsWith('text/') ? 'text/plain' : mediaType

/** The type of a file by the extension of its URL. Vertex AI requires it; Google's public API does not. */
function findUrlType(url: string): { mimeType?: string } {
  const extension = /\.(\w{2,5})(?:[?#].*)?$/.exec(url)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(typesByExtension, extension) ? { mimeType: typesByExtension[extension]! } : {}
}

const typesByExtension: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
}

function toPart(part: NormalizedPart): Part[] {
  switch (part.kind) {
    case 'text':
      return part.text ? [{ text: part.text }] : []
    case 'image':
    case 'file':
    case 'remote-media':
      return [{ fileData: { ...findUrlType(part.url), fileUri: part.url } }]
    case 'uploaded-file':
      return [{ fileData: { ...findUrlType(part.fileId), fileUri: part.fileId } }]
    case 'inline':
      return [{ inlineData: { mimeType: toTextType(part.mediaType), data: part.base64 } }]
    case 'other':
      rejectContainerFile(part.original)
      return [part.original]
    default:
      return part satisfies never
  }
}
