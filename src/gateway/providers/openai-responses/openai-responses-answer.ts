import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { ToolCallPiece, UpstreamEvent } from '../../protocol/tool-calls/piece.ts'
import { codeOfError, messageOfError, noMessage } from '../error-code.ts'
import { OpenaiUsage, responsesSpellings } from '../openai-usage.ts'
import type { UsageObject } from '../usage-spellings.ts'
import { type Annotation, citations, TextSoFar } from './openai-responses-citations.ts'
import { piecesIn, type Item as RunItem, unitOf } from './openai-responses-pieces.ts'

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
  item_id?: string
  output_index?: number
  summary_index?: number
  content_index?: number
  delta?: string
  text?: string
  refusal?: string
  part?: Part
  arguments?: string
  input?: string
  annotation?: Annotation
  error?: UpstreamError
}

const format = 'openai-responses-v1' as const

/** Reads one streamed response. */
export function responsesReader(): (event: SseEvent) => UpstreamEvent[] {
  const stream = new ResponseStream()
  return ({ data }) => stream.read(JSON.parse(data) as Event)
}

/** Reads one streamed response. Also reads content that only closing events have, because they repeat items and parts. */
class ResponseStream {
  readonly #text = new TextSoFar()
  readonly #said = new SaidLengths()
  /** The number of sources of each part so far. */
  readonly #cited = new Map<string, number>()
  readonly #keyOfItem = new Map<string, number>()
  /** The ids of items that were reported as done. */
  readonly #doneItems = new Set<string | undefined>()
  #hasCalls = false

  read(event: Event): UpstreamEvent[] {
    const { item = {}, output_index: output = 0, content_index, summary_index } = event
    switch (event.type) {
      case 'response.created':
        return [started(event.response)]
      case 'response.output_text.delta':
        return this.#say('text', output, content_index, event.delta)
      case 'response.output_text.annotation.added':
        return this.#cite([event.annotation], output, content_index)
      case 'response.refusal.delta':
        return this.#say('refusal', output, content_index, event.delta)
      case 'response.reasoning_summary_text.delta':
        return this.#say('reasoning', output, summary_index, event.delta)
      case 'response.reasoning_text.delta':
        return this.#say('reasoning', output, content_index, event.delta)
      case 'response.reasoning_summary_part.added':
        return summary_index ? [thoughtOf('\n\n')] : []
      case 'response.output_text.done':
        return this.#sayRest('text', output, content_index, event.text)
      case 'response.refusal.done':
        return this.#sayRest('refusal', output, content_index, event.refusal)
      case 'response.reasoning_summary_text.done':
        return this.#sayRest('reasoning', output, summary_index, event.text)
      case 'response.reasoning_text.done':
        return this.#sayRest('reasoning', output, content_index, event.text)
      case 'response.content_part.done':
        return [
          ...this.#sayRest(isReasoning(event.part) ? 'reasoning' : 'text', output, content_index, event.part?.text),
          ...this.#sayRest('refusal', output, content_index, event.part?.refusal),
        ]
      case 'response.reasoning_summary_part.done':
        return this.#sayRest('reasoning', output, summary_index, event.part?.text)
      case 'response.output_item.added':
        return isCall(item) ? this.#call(item, event.output_index) : pieceOf(item)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return [{ type: 'call_piece', key: this.#keyOf(event), text: event.delta }]
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return [{ type: 'call_piece', key: this.#keyOf(event), whole: event.arguments ?? event.input, isClosed: true }]
      case 'response.output_item.done':
        return this.#doneItem(item, event.output_index)
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#end(event.response ?? {})
      case 'error':
        return [errorEvent(event.error ?? event)]
      default:
        return []
    }
  }

  #say(type: SaidType, output: number, part: number | undefined, text: string | undefined): UpstreamEvent[] {
    if (type === 'text') this.#text.add(output, part, text)
    if (!text) return []
    this.#said.add(type, output, part, text.length)
    return type === 'reasoning' ? [thoughtOf(text)] : [{ type, text }]
  }

  #sayRest(type: SaidType, output: number, part: number | undefined, whole: string | undefined): UpstreamEvent[] {
    const rest = whole?.slice(this.#said.of(type, output, part))
    return rest ? this.#say(type, output, part, rest) : []
  }

  #cite(annotations: (Annotation | undefined)[], output: number, part: number | undefined): UpstreamEvent[] {
    const key = `${output} ${part ?? 0}`
    this.#cited.set(key, (this.#cited.get(key) ?? 0) + annotations.length)
    return citations(annotations, this.#text.startOf(output, part))
  }

  /** Sources that only a closing event has. */
  #citeRest({ annotations }: Part, output: number, part: number): UpstreamEvent[] {
    const rest = (annotations ?? []).slice(this.#cited.get(`${output} ${part}`) ?? 0)
    return rest.length > 0 ? this.#cite(rest, output, part) : []
  }

  /** Some servers name the item alone. */
  #keyOf({ output_index, item_id }: Event): number | undefined {
    return output_index ?? (item_id === undefined ? undefined : this.#keyOfItem.get(item_id))
  }

  #call(item: Item, output: number | undefined, isClosed?: true): UpstreamEvent[] {
    this.#hasCalls = true
    const key = output ?? this.#keyOfUnnumbered(item.id)
    if (item.id !== undefined && key !== undefined) this.#keyOfItem.set(item.id, key)
    return [callPiece(item, key, isClosed)]
  }

  #keyOfUnnumbered(id: string | undefined): number | undefined {
    return id === undefined ? undefined : (this.#keyOfItem.get(id) ?? firstOwnKey + this.#keyOfItem.size)
  }

  #doneItem(item: Item, output: number | undefined): UpstreamEvent[] {
    this.#doneItems.add(item.id)
    if (isCall(item)) return this.#call(item, output, true)
    // Without its index it cannot be compared with earlier events.
    return output === undefined ? doneItem(item) : [...this.#restOf(item, output), ...doneItem(item)]
  }

  #restOf({ type, content, summary }: Item, output: number): UpstreamEvent[] {
    if (type === 'reasoning')
      return partsOf(summary?.length ? summary : content).flatMap(({ text }, at) =>
        this.#sayRest('reasoning', output, at, text),
      )
    if (type !== 'message') return []
    return partsOf(content).flatMap((part, at) => [
      ...this.#sayRest('text', output, at, part.text),
      ...this.#citeRest(part, output, at),
      ...this.#sayRest('refusal', output, at, part.refusal),
    ])
  }

  #sourcesOf({ type, content }: Item, output: number): UpstreamEvent[] {
    if (type !== 'message' || this.#cited.size > 0) return []
    return partsOf(content).flatMap((part, at) => this.#citeRest(part, output, at))
  }

  /**
   * Some servers number the items of the whole response differently, so items of known kinds are not reported again.
   */
  #end(response: Response): UpstreamEvent[] {
    const items = Array.isArray(response.output) ? response.output : []
    const events = items.flatMap((item, at): UpstreamEvent[] => {
      if (isCall(item)) return this.#call(item, callId(item) === undefined ? at : undefined, true)
      if (this.#doneItems.has(item.id) || (item.id === undefined && this.#doneItems.size > 0)) return []
      const isSaid = item.type === 'reasoning' ? this.#said.has('reasoning') : this.#said.hasAnswer
      return [...(isSaid ? this.#sourcesOf(item, at) : this.#restOf(item, at)), ...doneItem(item)]
    })
    return [...events, ...ending(response, this.#hasCalls)]
  }
}

/** More items than any response has. */
const firstOwnKey = 1_000_000

type SaidType = 'text' | 'refusal' | 'reasoning'

/** The length of the delivered text of each part. */
class SaidLengths {
  readonly #lengths = new Map<string, number>()
  readonly #types = new Set<SaidType>()

  add(type: SaidType, output: number, part: number | undefined, length: number): void {
    this.#types.add(type)
    this.#lengths.set(`${type} ${output} ${part ?? 0}`, this.of(type, output, part) + length)
  }

  of(type: SaidType, output: number, part: number | undefined): number {
    return this.#lengths.get(`${type} ${output} ${part ?? 0}`) ?? 0
  }

  has(type: SaidType): boolean {
    return this.#types.has(type)
  }

  get hasAnswer(): boolean {
    return this.has('text') || this.has('refusal')
  }
}

/** Reads a whole response. */
export function readResponse(body: unknown): UpstreamEvent[] {
  const response = body as Response
  if (response.error) return [errorEvent(response.error)]
  if (!Array.isArray(response.output)) throw new Error('the answer has no output')
  const text = new TextSoFar()
  const events = response.output.flatMap((item, at) =>
    isCall(item) ? [callPiece(item, at, true)] : wholeItem(item, at, text),
  )
  return [started(response), ...events, ...ending(response, response.output.some(isCall))]
}

function wholeItem(item: Item, at: number, text: TextSoFar): UpstreamEvent[] {
  if (item.type === 'message') {
    return (item.content ?? []).flatMap((part, index) => {
      if (part.type === 'refusal') return textEvent('refusal', part.refusal)
      text.add(at, index, part.text)
      return [...textEvent('text', part.text), ...citations(part.annotations, text.startOf(at, index))]
    })
  }
  if (item.type !== 'reasoning') return doneItem(item)
  const parts = item.summary?.length ? item.summary : (item.content ?? [])
  const thought = parts.map((part) => part.text ?? '').join('\n\n')
  return [...(thought ? [thoughtOf(thought)] : []), ...doneItem(item)]
}

function doneItem(item: Item): UpstreamEvent[] {
  if (item.type === 'image_generation_call' && item.result)
    return [{ type: 'image', url: `data:image/${item.output_format ?? 'png'};base64,${item.result}` }]
  if (item.type !== 'reasoning' || !item.encrypted_content) return []
  return [{ type: 'reasoning', text: '', format, encrypted: item.encrypted_content, ...(item.id && { id: item.id }) }]
}

function thoughtOf(text: string): AnswerEvent {
  return { type: 'reasoning', text, format }
}

const partsOf = (parts: Part[] | null | undefined) => (Array.isArray(parts) ? parts : [])

function started(response: Response | undefined): AnswerEvent {
  return { type: 'started', id: response?.id ?? '', model: response?.model ?? '' }
}

function textEvent(type: 'text' | 'refusal', text: string | undefined): AnswerEvent[] {
  return text ? [{ type, text }] : []
}

const isReasoning = (part: Part | undefined) => part?.type === 'reasoning_text'

function isCall(item: Item | undefined): boolean {
  return item?.type === 'function_call' || item?.type === 'custom_tool_call'
}

const callId = ({ call_id, id }: Item) => call_id || id || undefined

function callPiece(item: Item, key: number | undefined, isClosed?: true): ToolCallPiece {
  const { type, name, namespace, arguments: args, input } = item
  const isCustom = type === 'custom_tool_call'
  return {
    type: 'call_piece',
    key,
    id: callId(item),
    name,
    namespace: namespace || undefined,
    whole: isCustom ? input : args,
    custom: isCustom || undefined,
    isClosed,
  }
}

/** The piece event of a provider tool call at its start. */
function pieceOf(item: RunItem | undefined): AnswerEvent[] {
  const unit = unitOf(item?.type)
  return unit === undefined ? [] : [{ type: 'piece', unit }]
}

function ending(response: Response, called: boolean): AnswerEvent[] {
  const { status, error, incomplete_details } = response
  if (status === 'failed' || error) return [errorEvent(error ?? {})]
  if (status === 'cancelled') return [{ type: 'error', message: 'the provider cancelled the response', status: 502 }]
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

/** Codes about images and files are errors of the request. */
function errorEvent(error: UpstreamError): AnswerEvent {
  const { code, type } = error
  const errorCode = code ?? type ?? ''
  const status = statuses[errorCode] ?? (/image|file/.test(errorCode) ? 400 : undefined)
  return { type: 'error', message: messageOfError(error) ?? noMessage, status, code: codeOfError({ code, type }) }
}

function usageIn({ usage, output, service_tier }: Response): AnswerEvent[] {
  if (!usage) return []
  const extras = { pieces: piecesIn(output ?? []), serviceTier: service_tier }
  return new OpenaiUsage(responsesSpellings).read(usage, extras)
}
