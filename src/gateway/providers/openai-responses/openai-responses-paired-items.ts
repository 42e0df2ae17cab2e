import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import { missingResultText, orphanHeading, pairResults, type ToolEntry } from '../../protocol/repairs/paired-results.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import { isReasoningModelId } from '../openai/openai-model-settings.ts'

type Item = { type?: unknown; call_id?: unknown; output?: unknown } & Body

/** The type of the result of each type of call. */
const outputTypeOfCall = new Map<unknown, string>([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
])
/** Calls of OpenAI's tools that the client runs. Their results have several types. */
const clientToolCallTypes: ReadonlySet<unknown> = new Set([
  'local_shell_call',
  'shell_call',
  'computer_call',
  'apply_patch_call',
])
const outputTypes: ReadonlySet<unknown> = new Set(outputTypeOfCall.values())

/**
 * Adds missing results after their calls, and makes results without a call a message. OpenAI refuses either alone. Changes
 * nothing if the request refers to a conversation that the provider stores: it can contain the calls.
 */
export const pairCallOutputs: Repair = (body) => {
  const items = body.input
  if (!Array.isArray(items) || refersToStored(body, items as Item[])) return body
  const clientToolCallIds = new Set((items as Item[]).filter(isClientToolCall).map(({ call_id }) => call_id))
  const entries = (items as Item[]).flatMap((item, position) =>
    clientToolCallIds.has(item?.call_id) ? [] : toToolEntries(item, position),
  )
  const { resultOf, orphans } = pairResults(entries)
  const isPaired = orphans.size === 0 && entries.every((entry) => entry.isResult || resultOf.has(entry))
  if (isPaired) return body
  const orphanPositions = new Set([...orphans].map(({ position }) => position))
  const positionsWithoutResult = new Set(
    entries.filter((entry) => !entry.isResult && !resultOf.has(entry)).map(({ position }) => position),
  )
  const input: Item[] = []
  const waitingOutputs: Item[] = []
  for (const [position, item] of (items as Item[]).entries()) {
    // Calls of one response stay together.
    if (!outputTypeOfCall.has(item?.type)) input.push(...waitingOutputs.splice(0))
    input.push(orphanPositions.has(position) ? toUserMessage(item) : item)
    if (positionsWithoutResult.has(position))
      waitingOutputs.push({ type: outputTypeOfCall.get(item.type)!, call_id: item.call_id, output: missingResultText })
  }
  return { ...body, input: [...input, ...waitingOutputs] }
}

/**
 * Removes encrypted reasoning that no message or call of the model follows, as in a response that was cut or cancelled. OpenAI
 * refuses it. Changes nothing if the provider stores the response or the request refers to a stored conversation.
 */
export const skipLoneReasoning: Repair = (body, dropped) => {
  const items = body.input
  if (!Array.isArray(items) || body.store === true || refersToStored(body, items as Item[])) return body
  let isFollowed = false
  const remaining: Item[] = []
  for (const item of (items as Item[]).toReversed()) {
    if (item?.type !== 'reasoning') isFollowed = isOfModel(item)
    if (item?.type !== 'reasoning' || isFollowed || !item.encrypted_content) remaining.push(item)
  }
  if (remaining.length === items.length) return body
  noteDropped(dropped, 'input.reasoning')
  return { ...body, input: remaining.toReversed() }
}

/**
 * Removes reasoning of which only the summary is in the request. OpenAI would search for the rest among its stored responses,
 * and refuses the request. Changes nothing if it stores them.
 */
export const skipUnreadableReasoning: Repair = (body, dropped) => {
  const items = body.input
  if (!Array.isArray(items) || body.store === true || refersToStored(body, items as Item[])) return body
  if (!isReasoningModelId(body.model)) return body
  const remaining = (items as Item[]).filter((item) => !isUnreadable(item))
  if (remaining.length === items.length) return body
  noteDropped(dropped, 'input.reasoning')
  return { ...body, input: remaining }
}

/** Whether an item of reasoning has nothing that a provider can read. Open models have their reasoning in `content`. */
const isUnreadable = (item: Item | null): boolean =>
  item?.type === 'reasoning' && !item.encrypted_content && !(Array.isArray(item.content) && item.content.length > 0)

/** Whether the model made an item, and not its client. */
function isOfModel(item: Item): boolean {
  const { type = 'message', role } = item ?? {}
  return type === 'message' ? role === 'assistant' : !/_output$/.test(String(type))
}

function refersToStored({ previous_response_id: previous, conversation }: Body, items: Item[]): boolean {
  return previous != null || conversation != null || items.some((item) => item?.type === 'item_reference')
}

/** Whether an item is a call of OpenAI's tools that the client runs. Clients answer some of them with a `function_call_output`, so their ids are skipped. */
const isClientToolCall = (item: Item) => clientToolCallTypes.has(item?.type)

function toToolEntries(item: Item, position: number): ToolEntry[] {
  if (outputTypeOfCall.has(item?.type)) return [{ id: item.call_id, isResult: false, position }]
  return outputTypes.has(item?.type) ? [{ id: item.call_id, isResult: true, position }] : []
}

function toUserMessage({ call_id, output }: Item): Item {
  const parts = Array.isArray(output) ? output : [{ type: 'input_text', text: String(output ?? '') }]
  const heading = { type: 'input_text', text: orphanHeading(call_id, false) }
  return { type: 'message', role: 'user', content: [heading, ...parts] }
}
