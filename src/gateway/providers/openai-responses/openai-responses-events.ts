import type { CompletionEvent } from '#chat/events.ts'
import { argumentsText, type ToolCallFragment, type UpstreamEvent } from '../../protocol/tool-calls/fragment.ts'
import { defaultErrorMessage } from '../errors/error-event.ts'
import { readErrorMessage } from '../errors/error-message.ts'
import { readErrorCode } from '../errors/error-metadata.ts'
import { readErrorStatus } from '../errors/error-status.ts'
import { readToolCallCounts } from '../openai/openai-tools.ts'
import { OpenaiUsage, responsesUsageFormats } from '../openai/openai-usage.ts'
import type { Item, Part, Response, UpstreamError } from './openai-responses-format.ts'
import { countBilledCalls, findProviderToolName, type ToolItem } from './openai-responses-tool-units.ts'

/** The name of this reasoning in `reasoning_details`, as OpenRouter defines it. */
const format = 'openai-responses-v1' as const

/** The content of an item that only its end has: an image, or encrypted reasoning. */
export function readDoneItem(item: Item): UpstreamEvent[] {
  if (item.type === 'image_generation_call' && item.result)
    return [{ type: 'image', url: `data:image/${item.output_format ?? 'png'};base64,${item.result}` }]
  if (item.type !== 'reasoning' || !item.encrypted_content) return []
  return [{ type: 'reasoning', text: '', format, encrypted: item.encrypted_content, ...(item.id && { id: item.id }) }]
}

export function thoughtEvent(text: string): CompletionEvent {
  return { type: 'reasoning', text, format }
}

/** The parts of an item. Some servers send a text instead. */
export function listParts(parts: Part[] | string | null | undefined): Part[] {
  if (typeof parts === 'string') return [{ type: 'output_text', text: parts }]
  return Array.isArray(parts) ? parts : []
}

export function startedEvent(response: Response | undefined): CompletionEvent {
  return { type: 'started', id: response?.id ?? '', model: response?.model ?? '' }
}

export function textEvent(type: 'text' | 'refusal', text: string | undefined): CompletionEvent[] {
  return text ? [{ type, text }] : []
}

export const isReasoningPart = (part: Part | undefined) => part?.type === 'reasoning_text'

export function isCall(item: Item | undefined): boolean {
  return item?.type === 'function_call' || item?.type === 'custom_tool_call'
}

/** The id of a complete call. Some servers send only the id of the item. */
export const readCallId = ({ call_id, id }: Item) => call_id || id || undefined

/** The fragment of a call that is complete. */
export function toClosedCallFragment(item: Item, upstreamIndex: number | undefined): ToolCallFragment {
  return { ...toCallFragment(item, upstreamIndex), id: readCallId(item), isClosed: true }
}

/** The fragment of a call that is announced: more fragments can follow. */
export function toCallFragment(item: Item, upstreamIndex: number | undefined): ToolCallFragment {
  const { type, name, namespace, arguments: args, input } = item
  const isCustom = type === 'custom_tool_call'
  return {
    type: 'call_fragment',
    upstreamIndex,
    id: item.call_id || undefined,
    name,
    namespace: namespace || undefined,
    wholeArguments: argumentsText(isCustom ? input : args),
    custom: isCustom || undefined,
  }
}

/** The event that counts a call of a provider tool, at its start. */
export function billedCallEvents(item: ToolItem | undefined): CompletionEvent[] {
  const unit = findProviderToolName(item?.type)
  return unit === undefined ? [] : [{ type: 'billed_piece', unit }]
}

/** Whether a whole response is only the start of one, which the provider continues in the background. */
export const isUnfinished = ({ status }: Response) => status === 'queued' || status === 'in_progress'

/** The error of such a response. This service cannot fetch the rest, so another endpoint is tried. */
export function unfinishedEvent(status: string): CompletionEvent {
  return { type: 'error', message: `the provider sent a response that is not finished: "${status}"`, status: 502 }
}

/** The statuses of a response that has ended. Some servers send other words than OpenAI. */
const completeStatuses: ReadonlySet<string | null | undefined> = new Set([
  'completed',
  'complete',
  'done',
  'success',
  'succeeded',
  'finished',
  'stop',
  // Gateways, for a response with calls.
  'requires_action',
  undefined,
  null,
])

/** The end of a response: its finish reason and usage, or an error. */
export function readEnding(response: Response, hasCalls: boolean): CompletionEvent[] {
  const { status, error, incomplete_details } = response
  const usage = readUsage(response)
  if (status === 'failed' || error) return [errorEvent(error ?? {}), ...usage]
  if (status === 'cancelled')
    return [{ type: 'error', message: 'the provider cancelled the response', status: 502 }, ...usage]
  const reason = incomplete_details?.reason
  if (completeStatuses.has(status) && !reason)
    return [{ type: 'finish', reason: hasCalls ? 'tool_calls' : 'stop', native: status ?? 'completed' }, ...usage]
  const incompleteReason = reason === 'content_filter' ? 'content_filter' : 'length'
  return [{ type: 'finish', reason: incompleteReason, native: reason ?? 'incomplete' }, ...usage]
}

/** An error of a response or of its stream. OpenAI has many codes for images and files that are wrong in the request. */
export function errorEvent(error: UpstreamError): CompletionEvent {
  const { code, type } = error
  const status = readErrorStatus(error) ?? (/image|file/.test(code ?? type ?? '') ? 400 : undefined)
  return {
    type: 'error',
    message: readErrorMessage(error) ?? defaultErrorMessage,
    status,
    code: readErrorCode({ code, type }),
  }
}

function readUsage({ usage, output, service_tier }: Response): CompletionEvent[] {
  if (!usage) return []
  const pieces = { ...countBilledCalls(output ?? []), ...readToolCallCounts(usage) }
  const extras = { pieces, serviceTier: service_tier }
  return new OpenaiUsage(responsesUsageFormats).read(usage, extras)
}
