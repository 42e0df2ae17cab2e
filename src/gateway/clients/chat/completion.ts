import type { FinishReason } from '#chat/chunk.ts'
import type { Citation, CompletionEvent, GeneratedImage, Speech } from '#chat/events.ts'
import { toServiceTierField } from '#chat/service-tier.ts'
import { isThoughtEnd, type Thought, toReasoningDetails } from '#chat/thoughts.ts'
import type { CostNote, ResponseHead } from '../../protocol/client-protocol.ts'
import { legacyFinishReason, usesLegacyFunctions } from './legacy-functions.ts'
import { toAnnotations, toEmptyCall, toImagePart } from './parts.ts'
import { writeSpeech } from './speech.ts'
import { toChatUsage } from './usage.ts'

/** Writes a whole response. */
export function writeCompletion(head: ResponseHead, events: CompletionEvent[], cost: CostNote | undefined): object {
  const choices = groupByChoice(events).map((choiceEvents, index) => writeChoice(head, choiceEvents, index))
  const { id, provider, model, createdSeconds: created } = head
  const usage = events.findLast((event) => event.type === 'usage')
  const response = { id, object: 'chat.completion', created, model, provider, choices }
  const usageField = usage && { usage: toChatUsage(usage.tokens, cost) }
  return { ...response, ...toServiceTierField(usage?.extras), system_fingerprint: null, ...usageField }
}

/** Groups the events by choice. Choices without a finish event are omitted. */
function groupByChoice(events: CompletionEvent[]): CompletionEvent[][] {
  if (!events.some(({ choice = 0 }) => choice > 0)) return [events]
  const groups = [...Map.groupBy(events, ({ choice = 0 }) => choice)].sort(([first], [second]) => first - second)
  return groups
    .map(([, choiceEvents]) => choiceEvents)
    .filter((choiceEvents) => choiceEvents.some(({ type }) => type === 'finish'))
}

function writeChoice(head: ResponseHead, events: CompletionEvent[], index: number): object {
  const content = collectContent(events)
  const details = content.thoughts.flatMap((thought, thoughtIndex) =>
    toReasoningDetails({ by: head.model, ...thought }, thoughtIndex),
  )
  const annotations = content.citations.flatMap((citation) => toAnnotations(citation, content.text.length))
  const message = {
    role: 'assistant',
    content: content.text || (content.calls.size > 0 || content.refusal ? null : ''),
    refusal: content.refusal || null,
    ...(content.reasoning && { reasoning: content.reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...writeCalls(head, [...content.calls.values()]),
    ...(annotations.length > 0 && { annotations }),
    ...(content.speech.length > 0 && { audio: writeSpeech(head, content.speech, content.text) }),
    ...(content.images.length > 0 && { images: content.images.map(toImagePart) }),
  }
  const isFunction = 'function_call' in message && content.finish === 'tool_calls'
  return { index, message, finish_reason: isFunction ? legacyFinishReason : content.finish, logprobs: null }
}

function writeCalls({ request }: ResponseHead, calls: ReturnType<typeof toEmptyCall>[]): object {
  if (calls.length === 0) return {}
  return usesLegacyFunctions(request) ? { function_call: calls[0]!.function } : { tool_calls: calls }
}

/** Collects the content of one choice from its events. */
function collectContent(events: CompletionEvent[]) {
  const content = {
    text: '',
    reasoning: '',
    refusal: '',
    thoughts: [] as Thought[],
    calls: new Map<number, ReturnType<typeof toEmptyCall>>(),
    citations: [] as Citation[],
    images: [] as GeneratedImage[],
    speech: [] as Speech[],
    finish: 'stop' as FinishReason,
  }
  let isThoughtOpen = false
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal')
      content[event.type] += event.text
    if (event.type === 'reasoning') {
      const { type: _type, ...piece } = event
      if (isThoughtOpen) content.thoughts.push(appendThought(content.thoughts.pop()!, piece))
      else content.thoughts.push(piece)
      isThoughtOpen = !isThoughtEnd(piece)
    } else if (event.type === 'tool_call') {
      content.calls.set(event.index, toEmptyCall(event))
    } else if (event.type === 'tool_arguments') {
      const call = content.calls.get(event.index)
      if (call?.function) call.function.arguments += event.text
      else if (call) call.custom.input += event.text
    } else if (event.type === 'citation') content.citations.push(event)
    else if (event.type === 'image') content.images.push(event)
    else if (event.type === 'audio') content.speech.push(event)
    else if (event.type === 'finish') content.finish = event.reason
  }
  return content
}

const appendThought = (thought: Thought, piece: Thought): Thought => ({
  ...thought,
  ...piece,
  text: thought.text + piece.text,
})
