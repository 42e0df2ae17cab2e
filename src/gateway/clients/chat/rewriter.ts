import { generatedCallId } from '#chat/call-id.ts'
import { isObject } from '#platform/core/is-object.ts'
import { applyChanges, toLatin1Json, valueEnd } from '#platform/json/json-text/json-members.ts'
import type { AnswerHead } from '../../protocol/client-protocol.ts'
import { EventPrefix, findObjectStart, type PassthroughRewriter } from '../../protocol/passthrough-rewriter.ts'
import type { Part } from '../../protocol/thinking-parts.ts'
import { AnswerRepair, applyRepair, choiceIndexOf, type RawChoice, type Repairs } from './answer-repair.ts'
import type { MessageMember, RawCall } from './call-repair.ts'
import {
  addReasoning,
  addSignatures,
  lacksReasoning,
  lacksReasoningInText,
  type SignatureEvent,
  signaturesIn,
  withoutThinkingParts,
} from './reasoning.ts'
import { chatWriter } from './writer.ts'

/**
 * Rewrites answers of chat upstreams: adds missing fields, removes nulls that clients reject, and corrects tool calls and
 * finish reasons that violate the protocol.
 */
export function chatRewriter(head: AnswerHead): PassthroughRewriter {
  const { createdSeconds, request } = head
  const repair = new AnswerRepair(Array.isArray(request?.functions))
  return {
    event: eventRewriter(head, repair),
    rest: (events) => {
      const writer = chatWriter(head, { includeUsage: true, isStarted: true })
      return events.map(writer.event).join('')
    },
    whole(answer, body, events) {
      const { choices } = body as { choices?: Choice[] | null }
      const repairs = repair.findWholeRepairs((choices ?? []) as RawChoice[], events)
      const signatures = signaturesIn(events, answer)
      const isBroken = repairs !== undefined || !choices || choices.some(isIncomplete) || signatures.length > 0
      const changed = isBroken ? rewriteJson(answer, { member: 'message', head, repairs, signatures }) : answer
      const created = String(createdSeconds)
      const fill = { id: toLatin1Json(head.id), created, object: '"chat.completion"', system_fingerprint: 'null' }
      return applyChanges(changed, changed.indexOf('{'), { set: headMembers(head), fill })
    },
  }
}

function headMembers({ model, provider }: AnswerHead) {
  return { model: toLatin1Json(model), provider: toLatin1Json(provider ?? null) }
}

/**
 * Rewrites the events of a stream. Most start with the bytes of an earlier event: of these only the rest is searched, and
 * nothing is parsed.
 */
function eventRewriter(head: AnswerHead, repair: AnswerRepair): PassthroughRewriter['event'] {
  const { id, createdSeconds } = head
  const eventPrefix = new EventPrefix('choices', 'usage', () => ({
    set: headMembers(head),
    fill: { id: toLatin1Json(id), created: String(createdSeconds), object: '"chat.completion.chunk"' },
  }))
  let hasDelta = false
  return (raw, events) => {
    const rest = eventPrefix.matchRest(raw)
    const searchedText = rest ?? raw.toString('latin1')
    const isFirst = !hasDelta && deltaPattern.test(searchedText)
    hasDelta ||= isFirst
    const repairs = events && repair.findRepairs(searchedText, events, () => extractJson(raw))
    const lacksRole = isFirst && !searchedText.includes('"role"')
    const signatures = signaturesIn(events, searchedText)
    const isCorrect = !repairs && !lacksRole && signatures.length === 0
    if (rest !== undefined && isCorrect && !needsRewriteInChoice(rest)) return eventPrefix.rewrite(raw, rest)
    const text = rest === undefined ? searchedText : raw.toString('latin1')
    const from = findObjectStart(text)
    if (from === -1) return raw
    const isChanged = !isCorrect || needsRewriteInChoice(text)
    const rewriting = { member: 'delta', head, repairs, lacksRole, signatures } as const
    const changed = isChanged ? withRewrittenLine(text, from, rewriting) : text
    return Buffer.from(eventPrefix.learn(changed, from), 'latin1')
  }
}

/** Whether a choice of a whole answer lacks what clients need, or has what they reject. */
function isIncomplete({ message }: Choice): boolean {
  if (!message || message.audio === null || message.tool_calls === null) return true
  if (isObject(message.content) || Array.isArray(message.content) || lacksReasoning(message)) return true
  return message.tool_calls?.some(lacksIdOrType) ?? false
}

const lacksIdOrType = ({ id, type, function: functionCall, custom }: Call) =>
  (functionCall?.name || custom) && !(id && type)

/** A delta, of which only the first of a stream needs a role. */
const deltaPattern = /"delta"\s*:\s*\{/

function extractJson(raw: Buffer): string {
  const text = raw.toString('latin1')
  const from = findObjectStart(text)
  return from === -1 ? '{}' : text.slice(from, lineEnd(text, from))
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** Rewrites the JSON of an event that starts at `from`. Other fields of the event and comments can follow it. */
function withRewrittenLine(text: string, from: number, rewriting: Rewriting): string {
  const end = lineEnd(text, from)
  return text.slice(0, from) + rewriteJson(text.slice(from, end), rewriting) + text.slice(end)
}

/** Whether a choice of an event must be rewritten. Searches the text, which works because quotes within strings are escaped. */
function needsRewriteInChoice(text: string): boolean {
  // Only an event without choices is complete without a delta and a finish reason.
  if (!text.includes('"delta"')) return !text.includes('"choices":[]')
  // Servers that repeat the whole message, and calls in the predecessor of `tool_calls`.
  if (/"(?:message|function_call)"\s*:\s*\{/.test(text)) return true
  if (!text.includes('"finish_reason":null') && !/"finish_reason"\s*:\s*(?:"[^"]|null)/.test(text))
    return !text.includes('"choices":[]')
  return needsRewriteInMessage(text)
}

/** Matches content in parts, or a single part. Only the first `content` is checked, because logprobs have one, too. */
function hasContentParts(text: string): boolean {
  const at = text.indexOf('"content"')
  if (at === -1) return false
  listOfParts.lastIndex = at + '"content"'.length
  return listOfParts.test(text)
}

/** An object, or a list that is neither empty nor the tokens of logprobs. */
const listOfParts = /\s*:\s*(?:\{|\[(?!\s*(?:\{\s*"token"|\])))/y

function needsRewriteInMessage(text: string): boolean {
  if (
    hasContentParts(text) ||
    lacksReasoningInText(text) ||
    (text.includes('"audio"') && /"audio"\s*:\s*null/.test(text))
  )
    return true
  for (let at = text.indexOf(callsName); at !== -1; at = text.indexOf(callsName, at + 1))
    if (needsRewriteInCalls(text, at)) return true
  return false
}

const callsName = '"tool_calls"'

/** Whether the calls are null, or one with a name has no id or type. Other objects of the answer have ids and types, too. */
function needsRewriteInCalls(text: string, at: number): boolean {
  opening.lastIndex = at + callsName.length
  const openingMatch = opening.exec(text)
  // `tool_calls` is also a finish reason.
  if (!openingMatch) return false
  if (openingMatch[1] === 'n') return true
  const calls = text.slice(opening.lastIndex, valueEnd(text, opening.lastIndex - 1))
  const names = count(calls, /"name"\s*:/g)
  return names > 0 && (count(calls, /"id"\s*:\s*"[^"]/g) < names || count(calls, /"type"\s*:\s*"/g) < names)
}

const opening = /\s*:\s*([n[])/y

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

type Call = RawCall & { function?: { name?: string } }
type ChatDelta = {
  role?: string
  content?: unknown
  reasoning?: unknown
  tool_calls?: Call[] | null
  function_call?: unknown
  audio?: unknown
}
type Choice = { index?: number; finish_reason?: string | null; native_finish_reason?: string; text?: unknown } & {
  [member in MessageMember]?: ChatDelta
}

type Rewriting = {
  member: MessageMember
  head: AnswerHead
  repairs: Repairs | undefined
  /** The first delta of the stream has no role. Helpers of official clients refuse the answer without it. */
  lacksRole?: boolean
  signatures: readonly SignatureEvent[]
}

function rewriteJson(text: string, { member, head, repairs, lacksRole = false, signatures }: Rewriting): string {
  const answer = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as { id?: string; choices?: Choice[] }
  answer.choices ??= []
  for (const [position, choice] of answer.choices.entries()) {
    const repair = repairs?.get(position)
    // Some servers repeat the message so far beside each delta, and clients would add both.
    const message = member === 'delta' ? takeMessage(choice) : undefined
    if (message && !choice.delta) choice.delta = message
    // Azure has its asynchronous content filter in choices without a delta.
    if (member === 'delta' && typeof choice.text !== 'string') choice.delta ??= {}
    if (typeof choice.text === 'string' && !choice[member]) choice[member] = { role: 'assistant', content: choice.text }
    if (lacksRole && choice.delta) choice.delta = { role: 'assistant', ...choice.delta }
    if (repair) applyRepair(choice as RawChoice, member, repair)
    choice.finish_reason ||= null
    if (choice[member]) {
      fillIn(choice[member], answer.id || head.id, head.model)
      addSignatures(
        choice[member],
        signatures.filter((signature) => (signature.choice ?? 0) === choiceIndexOf(choice, position, member)),
      )
    }
    if (choice[member] && !Array.isArray(head.request?.functions)) delete choice[member].function_call
  }
  return toLatin1Json(answer)
}

/** Removes the message of a stream's event from its choice. @returns the message. */
function takeMessage(choice: Choice): ChatDelta | undefined {
  const { message } = choice
  delete choice.message
  return message
}

function fillIn(message: ChatDelta, answerId: string, model: string): void {
  if (typeof message.content === 'object' && message.content !== null)
    Object.assign(message, withoutThinkingParts([message.content].flat() as Part[], model))
  addReasoning(message, model)
  if (message.audio === null) delete message.audio
  if (message.tool_calls === null) delete message.tool_calls
  for (const [at, call] of (message.tool_calls ?? []).entries()) {
    if (!call.function?.name && !call.custom) continue
    call.id ||= generatedCallId(answerId, typeof call.index === 'number' ? call.index : at)
    call.type ??= call.custom ? 'custom' : 'function'
  }
}
