import type { Chunk, ChunkChoice, Delta } from '#chat/chunk.ts'
import type { AnswerEvent, Citation, TokenCounts } from '#chat/events.ts'
import { detailsOf, isThoughtEnd, type Thought } from '#chat/thoughts.ts'
import type { AnswerHead, StreamWriter } from '../../protocol/protocol.ts'
import { errorTypeOf } from './error-type.ts'
import { functionReason, usesFunctions } from './legacy-functions.ts'
import { annotationsOf, callArguments, emptyCall, imageOf } from './parts.ts'
import { usageOf } from './usage.ts'

/**
 * Usage is always sent. Clients that requested it expect a chunk without choices. Others may read the first choice of
 * every chunk without a check, so they get an empty choice.
 */
export const emptyChoice: ChunkChoice = { index: 0, delta: {}, finish_reason: null }

/** Writes one answer as chunks. */
/** @param isStarted whether the client already has the chunk with the role. */
export function chatWriter(
  head: AnswerHead,
  { includeUsage, isStarted = false }: { includeUsage: boolean; isStarted?: boolean },
): StreamWriter {
  const chunk = (choices: ChunkChoice[], more: Partial<Chunk> = {}): string => {
    const { id, provider, model, createdSeconds: created } = head
    const whole: Chunk = { id, object: 'chat.completion.chunk', created, model, provider, choices, ...more }
    return `data: ${JSON.stringify(whole)}\n\n`
  }
  const say = (delta: Delta, finish: ChunkChoice['finish_reason'] = null) =>
    chunk([{ index: choice, delta, finish_reason: finish }])
  let choice = 0
  let hasStarted = isStarted
  let tokens: TokenCounts | undefined
  let thoughts = 0
  let writtenLength = 0
  const customCalls = new Set<number>()
  const isLegacy = usesFunctions(head.request)

  function thinks(piece: Thought): string {
    const details = detailsOf({ by: head.model, ...piece }, thoughts)
    if (isThoughtEnd(piece)) thoughts++
    if (!piece.text && details.length === 0) return ''
    return say({
      ...(piece.text && { reasoning: piece.text }),
      ...(details.length > 0 && { reasoning_details: details }),
    })
  }

  function cites(citation: Citation): string {
    const annotations = annotationsOf(citation, writtenLength)
    return annotations.length > 0 ? say({ annotations }) : ''
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
        writtenLength += event.text.length
        return say({ content: event.text })
      case 'reasoning':
        return thinks(event)
      case 'refusal':
        return say({ refusal: event.text })
      case 'tool_call':
        if (event.custom) customCalls.add(event.index)
        if (isLegacy) return event.index > 0 ? '' : say({ function_call: { name: event.name, arguments: '' } })
        return say({ tool_calls: [{ index: event.index, ...emptyCall(event) }] })
      case 'tool_arguments':
        if (isLegacy) return event.index > 0 ? '' : say({ function_call: { arguments: event.text } })
        return say({ tool_calls: [{ index: event.index, ...callArguments(event.text, customCalls.has(event.index)) }] })
      case 'citation':
        return cites(event)
      case 'image':
        return say({ images: [imageOf(event)] })
      case 'finish':
        return say({}, isLegacy && event.reason === 'tool_calls' ? functionReason : event.reason)
      case 'usage':
        tokens = event.tokens
        return ''
      case 'started':
      case 'piece':
      case 'items':
      case 'error':
        return ''
      default:
        return event satisfies never
    }
  }

  return {
    event(event) {
      choice = event.choice ?? 0
      const text = write(event)
      if (hasStarted || text === '') return text
      hasStarted = true
      return say({ role: 'assistant', content: '' }) + text
    },
    end: (cost) => {
      const usage = tokens ? chunk(includeUsage ? [] : [emptyChoice], { usage: usageOf(tokens, cost) }) : ''
      return `${usage}data: [DONE]\n\n`
    },
    fail: ({ metadata, ...error }) => {
      const error_type = errorTypeOf(error.code, metadata?.error_type ?? metadata?.provider_code)
      const errorBody = { ...error, metadata: { ...metadata, error_type } }
      return `${chunk([{ index: 0, delta: {}, finish_reason: 'error' }], { error: errorBody })}data: [DONE]\n\n`
    },
  }
}
