import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import { toBlockDetails } from '#chat/thoughts.ts'
import { isObject } from '#platform/core/is-object.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { type Fields, withFields } from '../../with-fields.ts'

/** Fields of a message that are not checked, because every form of them is read. */
const uncheckedFields: ReadonlySet<string> = new Set(['role', 'refusal', 'reasoning_details', 'function_call', 'audio'])

/** A fast check of the message of a whole response. */
export function isStandardMessage(message: unknown): boolean {
  if (!isObject(message)) return false
  for (const name in message) {
    const value = message[name]
    if (value === null || uncheckedFields.has(name)) continue
    if (name === 'content' || name === 'reasoning' || name === 'reasoning_content') {
      if (typeof value !== 'string') return false
    } else if (name === 'tool_calls') {
      if (!Array.isArray(value) || !value.every(isStandardCall)) return false
    } else if (!(name === 'annotations' && Array.isArray(value) && value.length === 0)) return false
  }
  return true
}

const isStandardCall = (call: { function?: { arguments?: unknown } | null; custom?: unknown } | null) =>
  typeof call?.function?.arguments === 'string' || isObject(call?.custom)

/** A message or delta in OpenAI's form. Undefined if the server sends none. */
export function normalizeMessage(message: unknown): unknown {
  if (typeof message === 'string') return { role: 'assistant', content: message }
  if (!isObject(message)) return message ?? undefined
  const { toolCalls, tool_calls: sentCalls = toolCalls, annotations } = message
  const calls = listCalls(sentCalls)
  const content = splitContent(message)
  const images = listImages(message)
  const changes = {
    ...content.message,
    ...(calls !== sentCalls && { tool_calls: calls }),
    ...(calls && { tool_calls: mapItems(calls, normalizeCall) }),
    ...(toolCalls !== undefined && { toolCalls: undefined }),
    ...(images && { images: mapItems(images, normalizeImage) }),
    ...(Array.isArray(annotations) && { annotations: mapItems(annotations, normalizeAnnotation) }),
    ...normalizeReasoning(message),
  }
  const { tool_calls: listed = [], images: shown = [], annotations: cited = [] } = changes as ChangedLists
  return withFields(message, {
    ...changes,
    ...(content.calls.length > 0 && { tool_calls: [...listed, ...content.calls] }),
    ...(content.images.length > 0 && { images: [...shown, ...content.images] }),
    ...(content.annotations.length > 0 && { annotations: [...cited, ...content.annotations] }),
  })
}

/** The calls as a list. Some servers send one call without a list, or the list as JSON text. Undefined for anything else. */
function listCalls(calls: unknown): unknown[] | undefined {
  if (isObject(calls)) return [calls]
  const list = typeof calls === 'string' ? parseJsonOr(calls, undefined, parseWithExactArguments) : calls
  return Array.isArray(list) ? list : undefined
}

type ChangedLists = { tool_calls?: unknown[]; images?: unknown[]; annotations?: unknown[] }

/** The images beside the content. LiteLLM has one in `image`, gateways to Gemini have them in `multi_mod_content`. */
function listImages({ images, image, multi_mod_content: parts }: Fields): unknown[] | undefined {
  if (Array.isArray(images)) return images
  if (isObject(image) || typeof image === 'string') return [image]
  const others = Array.isArray(parts) ? parts.filter((part) => findImageUrl(part) !== undefined) : []
  return others.length > 0 ? others : undefined
}

/** `message` has the fields of the message that change. */
type Content = { message: Fields; calls: Fields[]; images: Fields[]; annotations: unknown[] }

/** The content, with calls, images and sources among its parts separate. */
function splitContent({ content: sentContent, text }: Fields): Content {
  const separated: Content = { message: {}, calls: [], images: [], annotations: [] }
  const content = isObject(sentContent) ? [sentContent] : sentContent
  if (content == null && typeof text === 'string') return { ...separated, message: { content: text, text: undefined } }
  if (typeof content === 'number' || typeof content === 'boolean')
    return { ...separated, message: { content: String(content) } }
  if (!Array.isArray(content)) return separated
  const parts = mapItems(content as unknown[], normalizePart)
  const remaining = parts.filter((part) => {
    if (!isObject(part)) return true
    if (Array.isArray(part.annotations)) separated.annotations.push(...part.annotations.map(normalizeAnnotation))
    // Mistral has its sources between the texts.
    if (part.type === 'tool_reference') separated.annotations.push(normalizeAnnotation(part))
    if (part.type === 'tool_use') separated.calls.push({ ...normalizeCall(part), index: separated.calls.length })
    else if (part.type === 'image_url') separated.images.push(part)
    else return true
    return false
  })
  if (remaining.length === 0) return { ...separated, message: { content: '' } }
  return { ...separated, message: { content: remaining.length === parts.length ? parts : remaining } }
}

/** A part that is text, reasoning in the form of Mistral, an image, or a call in the form of Anthropic. */
function normalizePart(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (!isObject(part)) return part
  const { type, reasoning, summary } = part
  if (type === 'reasoning') return { type: 'thinking', thinking: reasoning ?? summary ?? part.text }
  const isImage = type === 'image_url' || type === 'image' || type === 'output_image' || isImageType(mediaTypeOf(part))
  return isImage ? normalizeImage(part) : part
}

/** A call whose arguments have their standard name. */
function normalizeCall(call: unknown): Fields {
  if (!isObject(call) || isObject(call.custom)) return call as Fields
  const calledFunction = isObject(call.function) ? call.function : call
  if (calledFunction.arguments != null || calledFunction.name === undefined) return call
  const args = calledFunction.parameters ?? calledFunction.input ?? calledFunction.args
  if (args === undefined) return call
  const { id, index } = call
  return {
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name: calledFunction.name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }
}

function normalizeImage(image: unknown): Fields {
  const url = findImageUrl(image)
  if (url === undefined) return image as Fields
  if (isObject(image) && isObject(image.image_url)) return image
  return { type: 'image_url', image_url: { url } }
}

/** The URL of an image. Servers send it as a text or in several fields, or the image as base64. */
function findImageUrl(image: unknown): string | undefined {
  if (typeof image === 'string') return image.startsWith('data:') || /^https?:/.test(image) ? image : dataUrl(image)
  if (!isObject(image)) return undefined
  const { image_url: inner, url, image: other, b64_json: base64, data = dataOf(image) } = image
  const foundUrl = [isObject(inner) ? inner.url : inner, url, other].find(
    (one) => typeof one === 'string' && one !== '',
  )
  if (typeof foundUrl === 'string') return findImageUrl(foundUrl)
  const content = [base64, data].find((one) => typeof one === 'string')
  return typeof content === 'string' ? dataUrl(content, mediaTypeOf(image)) : undefined
}

/** Servers that send base64 without a type send PNG. */
const dataUrl = (base64: string, type: unknown = undefined) =>
  base64.startsWith('data:') ? base64 : `data:${isImageType(type) ? type : 'image/png'};base64,${base64}`

const isImageType = (type: unknown) => typeof type === 'string' && type.startsWith('image/')

/** The fields of a file in a part, which Gemini has in `inline_data`. */
function fileOf(part: Fields): Fields {
  const { inline_data: inline, inlineData = inline } = part
  return isObject(inlineData) ? inlineData : part
}

const dataOf = (part: Fields) => fileOf(part).data

function mediaTypeOf(part: Fields): unknown {
  const { mediaType, media_type, mimeType, mime_type } = fileOf(part)
  return mediaType ?? media_type ?? mimeType ?? mime_type
}

/** An annotation whose fields are within `url_citation`. */
function normalizeAnnotation(annotation: unknown): unknown {
  if (!isObject(annotation) || isObject(annotation.url_citation) || typeof annotation.url !== 'string')
    return annotation
  const { type: _type, ...url_citation } = annotation
  return { type: 'url_citation', url_citation }
}

/** Reasoning as text, where a server sends a list, and the details of signed reasoning. */
function normalizeReasoning(message: Fields): Fields {
  const { reasoning, reasoning_content, reasoning_details, thinking_blocks: blocks } = message
  const texts = [reasoning, reasoning_content].filter((one) => typeof one === 'string' && one !== '')
  const lists = {
    ...(Array.isArray(reasoning) && { reasoning: joinTexts(reasoning) }),
    ...(Array.isArray(reasoning_content) && { reasoning_content: joinTexts(reasoning_content) }),
    ...(Array.isArray(blocks) && reasoning_details == null && { reasoning_details: toBlockDetails(blocks) }),
  }
  const hasText = texts.length > 0 || 'reasoning' in lists || 'reasoning_content' in lists
  return hasText || !Array.isArray(blocks) ? lists : { ...lists, reasoning_content: joinTexts(blocks) }
}

const joinTexts = (parts: unknown[]) =>
  parts
    .map((part) => {
      const { text, thinking, content } = isObject(part)
        ? part
        : { text: part, thinking: undefined, content: undefined }
      return [text, thinking, content].find((one) => typeof one === 'string') ?? ''
    })
    .join('')
