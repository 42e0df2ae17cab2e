import { madeCallId } from '#chat/call-id.ts'
import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#lib/sse.ts'
import { codeOfError, messageOfError, noMessage } from './error-code.ts'
import { type Annotation, citations, TextSoFar } from './openai-responses-citations.ts'
import { piecesIn, type Item as RunItem, unitOf } from './openai-responses-pieces.ts'
import { OpenaiUsage, responsesSpellings } from './openai-usage.ts'
import type { UsageObject } from './usage-spellings.ts'

type UpstreamError = { code?: string | null; type?: string; message?: string }
type Part = { type?: string; text?: string; refusal?: string; annotations?: Annotation[] | null }
type Item = {
  type?: string
  id?: string
  call_id?: string
  name?: string
  namespace?: string
  arguments?: string
  input?: string
  result?: string | null
  output_format?: string
  content?: Part[] | null
  summary?: Part[] | null
  encrypted_content?: string | null
}
type Response = {
  id?: string
  model?: string
  status?: string
  output?: Item[]
  usage?: UsageObject | null
  service_tier?: string | null
  error?: UpstreamError | null
  incomplete_details?: { reason?: string } | null
}
type Event = UpstreamError & {
  type?: string
  response?: Response
  item?: Item
  output_index?: number
  summary_index?: number
  content_index?: number
  delta?: string
  annotation?: Annotation
  error?: UpstreamError
}

const format = 'openai-responses-v1' as const

/** Reads one streamed response. Items are numbered together; function calls get numbers of their own. */
export function responsesReader(answerId?: string): (event: SseEvent) => AnswerEvent[] {
  const callOfItem = new Map<number, number>()
  const withArguments = new Set<number>()
  const text = new TextSoFar()

  return ({ data }) => {
    if (data === '[DONE]') return []
    const event = JSON.parse(data) as Event
    const output = event.output_index ?? 0
    switch (event.type) {
      case 'response.created':
        return [started(event.response)]
      case 'response.output_text.delta':
        text.add(output, event.content_index, event.delta)
        return textEvent('text', event.delta)
      case 'response.output_text.annotation.added':
        return citations([event.annotation], text.startOf(output, event.content_index))
      case 'response.refusal.delta':
        return textEvent('refusal', event.delta)
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return event.delta ? [{ type: 'reasoning', text: event.delta, format }] : []
      case 'response.reasoning_summary_part.added':
        return event.summary_index ? [{ type: 'reasoning', text: '\n\n', format }] : []
      case 'response.output_item.added':
        if (!isCall(event.item)) return pieceOf(event.item)
        callOfItem.set(output, callOfItem.size)
        return [called(event.item ?? {}, callOfItem.get(output)!, answerId)]
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (!event.delta) return []
        if (callOfItem.has(output)) withArguments.add(output)
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
export function readResponse(body: unknown, answerId?: string): AnswerEvent[] {
  const response = body as Response
  if (response.error) return [errorEvent(response.error)]
  if (!Array.isArray(response.output)) throw new Error('the answer has no output')
  const events: AnswerEvent[] = [started(response)]
  let calls = 0
  const text = new TextSoFar()
  for (const [at, item] of response.output.entries()) {
    if (isCall(item)) {
      events.push(called(item, calls, answerId), ...argumentsEvent(item, calls))
      calls++
    } else events.push(...wholeItem(item, at, text))
  }
  return [...events, ...ending(response, calls > 0)]
}

function wholeItem(item: Item, at: number, text: TextSoFar): AnswerEvent[] {
  if (item.type === 'message') {
    return (item.content ?? []).flatMap((part, index) => {
      if (part.type === 'refusal') return textEvent('refusal', part.refusal)
      text.add(at, index, part.text)
      return [...textEvent('text', part.text), ...citations(part.annotations, text.startOf(at, index))]
    })
  }
  if (item.type !== 'reasoning') return doneItem(item, undefined)
  const said = item.summary?.length ? item.summary : (item.content ?? [])
  const thought = said.map((part) => part.text ?? '').join('\n\n')
  return [...(thought ? [{ type: 'reasoning' as const, text: thought, format }] : []), ...doneItem(item, undefined)]
}

/** @param unargued the number of a call whose arguments have not come in pieces. */
function doneItem(item: Item, unargued: number | undefined): AnswerEvent[] {
  if (isCall(item)) return unargued === undefined ? [] : argumentsEvent(item, unargued)
  if (item.type === 'image_generation_call' && item.result)
    return [{ type: 'image', url: `data:image/${item.output_format ?? 'png'};base64,${item.result}` }]
  if (item.type !== 'reasoning' || !item.encrypted_content) return []
  return [{ type: 'reasoning', text: '', format, encrypted: item.encrypted_content, ...(item.id && { id: item.id }) }]
}

function started(response: Response | undefined): AnswerEvent {
  return { type: 'started', id: response?.id ?? '', model: response?.model ?? '' }
}

function textEvent(type: 'text' | 'refusal', text: string | undefined): AnswerEvent[] {
  return text ? [{ type, text }] : []
}

function isCall(item: Item | undefined): boolean {
  return item?.type === 'function_call' || item?.type === 'custom_tool_call'
}

function called(
  { type, call_id, id, name, namespace }: Item,
  index: number,
  answerId: string | undefined,
): AnswerEvent {
  const custom = type === 'custom_tool_call' && { custom: true as const }
  return {
    type: 'tool_call',
    index,
    id: call_id || id || madeCallId(answerId, index),
    name: name ?? '',
    ...custom,
    ...(namespace && { namespace }),
  }
}

function argumentsEvent(item: Item, index: number): AnswerEvent[] {
  const text = item.type === 'custom_tool_call' ? item.input : item.arguments
  return text ? [{ type: 'tool_arguments', index, text }] : []
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
function errorEvent(error: UpstreamError): AnswerEvent {
  const { code, type } = error
  const told = code ?? type ?? ''
  const status = statuses[told] ?? (/image|file/.test(told) ? 400 : undefined)
  return { type: 'error', message: messageOfError(error) ?? noMessage, status, code: codeOfError({ code, type }) }
}

function usageIn({ usage, output, service_tier }: Response): AnswerEvent[] {
  if (!usage) return []
  const extras = { pieces: piecesIn(output ?? []), serviceTier: service_tier }
  return new OpenaiUsage(responsesSpellings).read(usage, extras)
}
