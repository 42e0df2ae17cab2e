import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#lib/sse.ts'
import { piecesIn, type Item as RunItem, unitOf } from './openai-responses-pieces.ts'
import { usageEvents } from './token-counts.ts'

type Usage = {
  input_tokens?: number
  output_tokens?: number
  input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number; audio_tokens?: number } | null
  output_tokens_details?: { reasoning_tokens?: number; audio_tokens?: number; image_tokens?: number } | null
}
type WireError = { code?: string | null; type?: string; message?: string }
type Part = { type?: string; text?: string; refusal?: string }
type Item = {
  type?: string
  id?: string
  call_id?: string
  name?: string
  arguments?: string
  content?: Part[] | null
  summary?: Part[] | null
  encrypted_content?: string | null
}
type Response = {
  id?: string
  model?: string
  status?: string
  output?: Item[]
  usage?: Usage | null
  service_tier?: string | null
  error?: WireError | null
  incomplete_details?: { reason?: string } | null
}
type Event = WireError & {
  type?: string
  response?: Response
  item?: Item
  output_index?: number
  summary_index?: number
  content_index?: number
  delta?: string
  error?: WireError
}

const format = 'openai-responses-v1' as const

/** Reads one streamed response. Items are numbered together; function calls get numbers of their own. */
export function responsesReader(): (event: SseEvent) => AnswerEvent[] {
  const callOfItem = new Map<number, number>()
  const withArguments = new Set<number>()

  return ({ data }) => {
    if (data === '[DONE]') return []
    const event = JSON.parse(data) as Event
    const output = event.output_index ?? 0
    switch (event.type) {
      case 'response.created':
        return [started(event.response)]
      case 'response.output_text.delta':
        return textEvent('text', event.delta)
      case 'response.refusal.delta':
        return textEvent('refusal', event.delta)
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return event.delta ? [{ type: 'reasoning', text: event.delta, format }] : []
      case 'response.reasoning_summary_part.added':
        return event.summary_index ? [{ type: 'reasoning', text: '\n\n', format }] : []
      case 'response.output_item.added':
        if (event.item?.type !== 'function_call') return pieceOf(event.item)
        callOfItem.set(output, callOfItem.size)
        return [called(event.item, callOfItem.get(output)!)]
      case 'response.function_call_arguments.delta':
        if (!event.delta) return []
        withArguments.add(output)
        return [{ type: 'tool_arguments', index: callOfItem.get(output) ?? 0, text: event.delta }]
      case 'response.output_item.done':
        return doneItem(event.item ?? {}, withArguments.has(output) ? undefined : callOfItem.get(output))
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return ending(event.response ?? {}, callOfItem.size > 0)
      case 'error':
        return [errorEvent(event.error ?? event)]
      default:
        return []
    }
  }
}

/** Reads a whole response. */
export function readResponse(body: unknown): AnswerEvent[] {
  const response = body as Response
  if (response.error) return [errorEvent(response.error)]
  if (!Array.isArray(response.output)) throw new Error('the answer has no output')
  const events: AnswerEvent[] = [started(response)]
  let calls = 0
  for (const item of response.output) {
    if (item.type === 'function_call') {
      events.push(called(item, calls), ...argumentsEvent(item, calls))
      calls++
    } else events.push(...wholeItem(item))
  }
  return [...events, ...ending(response, calls > 0)]
}

function wholeItem(item: Item): AnswerEvent[] {
  if (item.type === 'message') {
    return (item.content ?? []).flatMap(({ type, text, refusal }) =>
      type === 'refusal' ? textEvent('refusal', refusal) : textEvent('text', text),
    )
  }
  if (item.type !== 'reasoning') return []
  const said = item.summary?.length ? item.summary : (item.content ?? [])
  const text = said.map((part) => part.text ?? '').join('\n\n')
  return [...(text ? [{ type: 'reasoning' as const, text, format }] : []), ...doneItem(item, undefined)]
}

/** @param unargued the number of a call whose arguments have not come in pieces. */
function doneItem(item: Item, unargued: number | undefined): AnswerEvent[] {
  if (item.type === 'function_call' && unargued !== undefined) return argumentsEvent(item, unargued)
  if (item.type !== 'reasoning' || !item.encrypted_content) return []
  return [{ type: 'reasoning', text: '', format, encrypted: item.encrypted_content, ...(item.id && { id: item.id }) }]
}

function started(response: Response | undefined): AnswerEvent {
  return { type: 'started', id: response?.id ?? '', model: response?.model ?? '' }
}

function textEvent(type: 'text' | 'refusal', text: string | undefined): AnswerEvent[] {
  return text ? [{ type, text }] : []
}

function called({ call_id, id, name }: Item, index: number): AnswerEvent {
  return { type: 'tool_call', index, id: call_id ?? id ?? '', name: name ?? '' }
}

function argumentsEvent(item: Item, index: number): AnswerEvent[] {
  return item.arguments ? [{ type: 'tool_arguments', index, text: item.arguments }] : []
}

/** A call of a tool that the provider runs, as it begins. */
function pieceOf(item: RunItem | undefined): AnswerEvent[] {
  const unit = unitOf(item?.type)
  return unit === undefined ? [] : [{ type: 'piece', unit }]
}

function ending(response: Response, called: boolean): AnswerEvent[] {
  const { status, error, incomplete_details } = response
  if (status === 'failed' || error) return [errorEvent(error ?? {})]
  const reason = incomplete_details?.reason
  const finish: AnswerEvent =
    status === 'incomplete' || reason
      ? {
          type: 'finish',
          reason: reason === 'content_filter' ? 'content_filter' : 'length',
          native: reason ?? 'incomplete',
        }
      : { type: 'finish', reason: called ? 'tool_calls' : 'stop', native: status ?? 'completed' }
  return [finish, ...usageIn(response)]
}

const statuses: Record<string, number> = {
  server_error: 500,
  rate_limit_exceeded: 429,
  insufficient_quota: 402,
  invalid_prompt: 400,
  invalid_request_error: 400,
  context_length_exceeded: 400,
  vector_store_timeout: 504,
}

/** Codes about images and files are about what was sent. */
function errorEvent({ code, type, message }: WireError): AnswerEvent {
  const told = code ?? type ?? ''
  const status = statuses[told] ?? (/image|file/.test(told) ? 400 : undefined)
  return { type: 'error', message: message ?? 'the upstream failed', status }
}

function usageIn({ usage, output, service_tier }: Response): AnswerEvent[] {
  if (!usage) return []
  const { input_tokens_details: ofPrompt, output_tokens_details: ofCompletion } = usage
  return usageEvents(
    {
      prompt: usage.input_tokens,
      completion: usage.output_tokens,
      cached: ofPrompt?.cached_tokens,
      cacheWritten: ofPrompt?.cache_write_tokens,
      reasoning: ofCompletion?.reasoning_tokens,
      audioPrompt: ofPrompt?.audio_tokens,
      audioCompletion: ofCompletion?.audio_tokens,
      imageCompletion: ofCompletion?.image_tokens,
    },
    { pieces: piecesIn(output ?? []), serviceTier: service_tier },
  )
}
