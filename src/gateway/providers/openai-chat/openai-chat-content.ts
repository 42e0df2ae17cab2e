import type { ReasoningDetail } from '#chat/thoughts.ts'
import { type Part, type ReasoningFields, readReasoning, splitThought } from '../../protocol/thinking-parts.ts'
import type { UpstreamEvent } from '../../protocol/tool-calls/piece.ts'

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

/** Reads the content of a message into `events`. */
export function readContent(message: ChatContent, events: UpstreamEvent[]): void {
  readThoughts(message, events)
  const { content, annotations, images } = message
  if (typeof content === 'string') {
    if (content) events.push({ type: 'text', text: content })
  } else if (content) {
    for (const part of Array.isArray(content) ? content : [content]) readPart(part, events)
  }
  if (Array.isArray(annotations)) for (const annotation of annotations) readAnnotation(annotation, events)
  if (!Array.isArray(images)) return
  for (const image of images) {
    events.push({ type: 'billed_piece', unit: 'image' })
    const url = image?.image_url?.url
    if (typeof url === 'string' && url) events.push({ type: 'image', url })
  }
}

function readThoughts(message: ChatContent, events: UpstreamEvent[]): void {
  const { reasoning_details: details } = message
  const { text, field } = readReasoning(message)
  const validDetails = Array.isArray(details)
    ? details.filter((detail) => typeof detail === 'object' && detail !== null)
    : []
  const hasText = validDetails.some((detail) => detail.text || detail.summary)
  if (!hasText && text) events.push({ type: 'reasoning', text, field })
  for (const detail of validDetails) {
    const { type, signature, data, id, format } = detail
    const detailText = detail.text ?? detail.summary ?? ''
    const isSummary = type === 'reasoning.summary'
    if (!detailText && !signature && !data) continue
    events.push({
      type: 'reasoning',
      text: detailText,
      via: 'chat',
      ...(format && { format }),
      ...(isSummary && { isSummary }),
      ...(signature && { signature }),
      ...(data && { encrypted: data }),
      ...(id && { id }),
    })
  }
}

function readPart(part: Part, events: UpstreamEvent[]): void {
  const { thought, text } = splitThought(part)
  if (thought) events.push({ type: 'reasoning', text: thought, field: 'thinking' })
  if (text) events.push({ type: 'text', text })
}

function readAnnotation(annotation: Annotation | null, events: UpstreamEvent[]): void {
  const { url, title, content, start_index: start, end_index: end } = annotation?.url_citation ?? {}
  if (typeof url !== 'string' || !url) return
  events.push({
    type: 'citation',
    url,
    ...(title && { title }),
    ...(content && { quote: content }),
    ...(typeof start === 'number' && typeof end === 'number' && end > 0 && { start, end }),
  })
}
