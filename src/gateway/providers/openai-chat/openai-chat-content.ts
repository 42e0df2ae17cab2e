import type { CompletionEvent } from '#chat/events.ts'
import type { ReasoningDetail } from '#chat/thoughts.ts'
import { pushAll } from '#platform/core/push-all.ts'
import { type Part, type ReasoningFields, readReasoning, splitReasoningPart } from '../../protocol/reasoning-parts.ts'

type Annotation = {
  type?: string
  url_citation?: { url?: string; title?: string; content?: string; start_index?: number; end_index?: number }
}

/** The content of a message or of a delta. */
export type ChatContent = ReasoningFields & {
  /** Text, or a list of parts, as in the reasoning models of Mistral. Some servers send one part without a list. */
  content?: string | Part[] | Part | null
  reasoning_details?: ReasoningDetail[] | null
  annotations?: Annotation[] | null
  images?: ({ image_url?: { url?: string } } | null)[] | null
}

/** Reads the content of a message or delta: reasoning, text, sources and images. */
export function readContent(message: ChatContent): CompletionEvent[] {
  const { content, annotations, images } = message
  // Each check is separate, because most events of a stream have only one kind of content.
  const events = readThoughts(message)
  if (content) pushAll(events, readParts(content))
  if (annotations) pushAll(events, readAnnotations(annotations))
  if (images) pushAll(events, readImages(images))
  return events
}

function readThoughts(message: ChatContent): CompletionEvent[] {
  const { reasoning_details: details } = message
  const { text, field } = readReasoning(message)
  const ownText: CompletionEvent[] = text ? [{ type: 'reasoning', text, field }] : []
  if (!Array.isArray(details)) return ownText
  const validDetails = details.filter((detail) => typeof detail === 'object' && detail !== null)
  const hasText = validDetails.some((detail) => detail.text || detail.summary)
  return [...(hasText ? [] : ownText), ...validDetails.flatMap(readDetail)]
}

function readDetail({ type, text, summary, signature, data, id, format }: ReasoningDetail): CompletionEvent[] {
  const detailText = text ?? summary ?? ''
  if (!detailText && !signature && !data) return []
  const isSummary = type === 'reasoning.summary'
  return [
    {
      type: 'reasoning',
      text: detailText,
      via: 'chat',
      ...(format && { format }),
      ...(isSummary && { isSummary }),
      ...(signature && { signature }),
      ...(data && { encrypted: data }),
      ...(id && { id }),
    },
  ]
}

function readParts(content: NonNullable<ChatContent['content']>): CompletionEvent[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [content].flat().flatMap(readPart)
}

function readPart(part: Part): CompletionEvent[] {
  const { reasoning, text } = splitReasoningPart(part)
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning, field: 'thinking' as const }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
  ]
}

function readAnnotations(annotations: ChatContent['annotations']): CompletionEvent[] {
  return Array.isArray(annotations) ? annotations.flatMap(readAnnotation) : []
}

function readAnnotation(annotation: Annotation | null): CompletionEvent[] {
  const { url, title, content, start_index: start, end_index: end } = annotation?.url_citation ?? {}
  if (typeof url !== 'string' || !url) return []
  const hasPosition = typeof start === 'number' && typeof end === 'number' && end > 0
  return [
    {
      type: 'citation',
      url,
      ...(title && { title }),
      ...(content && { quote: content }),
      ...(hasPosition && { start, end }),
    },
  ]
}

function readImages(images: ChatContent['images']): CompletionEvent[] {
  if (!Array.isArray(images)) return []
  return images.flatMap((image): CompletionEvent[] => {
    const url = image?.image_url?.url
    const piece = { type: 'billed_piece', unit: 'image' } as const
    return typeof url === 'string' && url ? [piece, { type: 'image', url }] : [piece]
  })
}
