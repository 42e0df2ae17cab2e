import type { Content, Message, ToolCall } from '#chat/message.ts'
import { readThoughts, type Thought } from '#chat/thoughts.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { defaultFilename } from '../../protocol/repairs/file-names.ts'
import type { Body } from '../../protocol/request-body.ts'
import {
  joinTexts,
  type NormalizedPart,
  normalizeContent,
  readSpeech,
  rejectContainerFile,
  toResultContent,
  unsupportedMediumFault,
} from '../content.ts'

/** Translates messages to input items. Calls, results and reasoning are separate items. */
export function encodeInputItems(messages: Message[]): Body[] {
  const customCallIds = findCustomCallIds(messages)
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [encodeToolOutput(message, customCallIds.has(message.tool_call_id))]
    if (message.role === 'assistant') return encodeAssistantItems(message)
    const parts = normalizeContent(message.content)
    return parts.length > 0 ? [{ type: 'message', role: message.role, content: parts.map(encodePart) }] : []
  })
}

function encodeAssistantItems(message: Extract<Message, { role: 'assistant' }>): Body[] {
  const { refusal } = message as { refusal?: string | null }
  const parts: Body[] = normalizeContent(
    message.content?.length || refusal ? message.content : readSpeech(message),
  ).map((part) => (part.kind === 'text' ? { type: 'output_text', text: part.text, annotations: [] } : encodePart(part)))
  if (refusal) parts.push({ type: 'refusal', refusal })
  const calls = (message.tool_calls ?? []).map(encodeCall)
  // Some servers accept only text as the content of a response.
  const [first] = parts
  const content = parts.length === 1 && first?.type === 'output_text' ? first.text : parts
  const assistantMessage = parts.length > 0 ? [{ type: 'message', role: 'assistant', content }] : []
  return [...readThoughts(message, 'openai-responses-v1').map(encodeReasoning), ...assistantMessage, ...calls]
}

function encodeCall(call: ToolCall): Body {
  const { custom } = call as { custom?: { name?: string; input?: string } }
  if (custom) return { type: 'custom_tool_call', call_id: call.id, name: custom.name, input: custom.input }
  const { name, arguments: args } = call.function ?? {}
  return { type: 'function_call', call_id: call.id, name, arguments: args }
}

function encodeReasoning({ text, encrypted, id }: Thought): Body {
  const summary = text ? [{ type: 'summary_text', text }] : []
  return withoutNulls({ type: 'reasoning', id, summary, encrypted_content: encrypted })
}

function findCustomCallIds(messages: Message[]): ReadonlySet<string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  return new Set(calls.filter((call) => 'custom' in call).map(({ id }) => id))
}

function encodeToolOutput(message: Extract<Message, { role: 'tool' }>, isCustom: boolean): Body {
  const { tool_call_id } = message
  const content = normalizeContent(toResultContent(message))
  const isText = content.every((part) => part.kind === 'text')
  const output = isText ? joinTexts(content.map(({ text }) => text)) : content.map(encodePart)
  return { type: isCustom ? 'custom_tool_call_output' : 'function_call_output', call_id: tool_call_id, output }
}

/**
 * Encodes the content of a user message or a tool result.
 * @throws Fault `invalid` for a medium that the protocol does not support.
 */
export const encodeParts = (content: Content): Body[] => normalizeContent(content).map(encodePart)

function encodePart({ cacheBreakpoint, ...part }: NormalizedPart): Body {
  const encoded = encodeContent(part)
  return cacheBreakpoint === undefined ? encoded : { ...encoded, prompt_cache_breakpoint: cacheBreakpoint }
}

function encodeContent(part: NormalizedPart): Body {
  switch (part.kind) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return { type: 'input_image', image_url: part.url, detail: part.detail ?? 'auto' }
    case 'file':
      return { type: 'input_file', file_url: part.url }
    case 'remote-media':
      throw unsupportedMediumFault(part.medium === 'audio' ? 'audio by its URL' : part.medium)
    case 'uploaded-file':
      return { type: 'input_file', file_id: part.fileId }
    case 'inline':
      return encodeInlinePart(part)
    case 'other':
      rejectContainerFile(part.original)
      return part.original
    default:
      return part satisfies never
  }
}

function encodeInlinePart({
  modality,
  mediaType,
  base64,
  name,
  detail,
}: Extract<NormalizedPart, { kind: 'inline' }>): Body {
  if (modality === 'video') throw unsupportedMediumFault(modality)
  const url = `data:${mediaType};base64,${base64}`
  if (modality === 'image') return { type: 'input_image', image_url: url, detail: detail ?? 'auto' }
  if (modality === 'file') return { type: 'input_file', filename: name ?? defaultFilename(mediaType), file_data: url }
  return { type: 'input_audio', input_audio: { data: base64, format: mediaType.slice('audio/'.length) } }
}
