import { createCallId } from '#chat/call-id.ts'
import { toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import type { ResponseHead } from '../../../protocol/client-protocol.ts'
import type { Part } from '../../../protocol/reasoning-parts.ts'
import { addReasoning, addSignatures, type SignatureEvent, separateReasoningParts } from '../reasoning.ts'
import { choiceIndexOf, type MessageField, type RawChoice, type RawMessage } from './raw-choice.ts'
import { applyRepair, type Repairs } from './response-repair.ts'

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** Rewrites the JSON of an event that starts at `from`. Other fields of the event and comments can follow it. */
export function withRewrittenLine(text: string, from: number, rewriting: RewriteOptions): string {
  const end = lineEnd(text, from)
  return text.slice(0, from) + rewriteJson(text.slice(from, end), rewriting) + text.slice(end)
}

export type RewriteOptions = {
  field: MessageField
  head: ResponseHead
  repairs: Repairs | undefined
  /** Whether the delta of a choice is its first one and has no role. Helpers of official clients refuse the response without it. */
  lacksRole?: ((choiceIndex: number) => boolean) | undefined
  signatures: readonly SignatureEvent[]
}

/** Rewrites the choices of a response or an event, given as a latin1 string of its JSON. */
export function rewriteJson(text: string, rewriting: RewriteOptions): string {
  const response = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as {
    id?: string
    choices?: RawChoice[] | null
  }
  response.choices ??= []
  const responseId = response.id || rewriting.head.id
  for (const [position, choice] of response.choices.entries()) rewriteChoice(choice, position, responseId, rewriting)
  return toLatin1Json(response)
}

/** Changes a parsed choice. */
function rewriteChoice(
  choice: RawChoice,
  position: number,
  responseId: string,
  { field, head, repairs, lacksRole, signatures }: RewriteOptions,
): void {
  if (typeof choice.index !== 'number') choice.index = position
  if (field === 'delta') moveMessageToDelta(choice)
  if (typeof choice.text === 'string' && !choice[field]) choice[field] = { role: 'assistant', content: choice.text }
  if (choice.delta && lacksRole?.(choiceIndexOf(choice, position, field)))
    choice.delta = { role: 'assistant', ...withoutRole(choice.delta) }
  const repair = repairs?.get(position)
  if (repair) applyRepair(choice, field, repair)
  choice.finish_reason ||= null
  const sentMessage = choice[field]
  if (!sentMessage) return
  const message = sentMessage.role === 'assistant' ? sentMessage : toAssistantMessage(sentMessage, field)
  choice[field] = message
  completeMessage(message, responseId, head.model)
  const choiceIndex = choiceIndexOf(choice, position, field)
  addSignatures(
    message,
    signatures.filter((signature) => (signature.choice ?? 0) === choiceIndex),
  )
  if (!Array.isArray(head.request?.functions)) delete message.function_call
}

/** Some servers repeat the message so far beside each delta, and clients would add both. Others have only the message. */
function moveMessageToDelta(choice: RawChoice): void {
  const { message } = choice
  delete choice.message
  if (message && !choice.delta) choice.delta = message
  // Azure has its asynchronous content filter in choices without a delta.
  if (typeof choice.text !== 'string') choice.delta ??= {}
}

/** The message with the only role of a response. A delta needs none, but official clients refuse a role other than `assistant`. */
function toAssistantMessage(message: RawMessage, field: MessageField): RawMessage {
  return field === 'message' ? { ...message, role: 'assistant' } : withoutRole(message)
}

function withoutRole({ role: _role, ...others }: RawMessage): RawMessage {
  return others
}

function completeMessage(message: RawMessage, responseId: string, model: string): void {
  if (typeof message.content === 'object' && message.content !== null)
    Object.assign(message, separateReasoningParts([message.content].flat() as Part[], model))
  addReasoning(message, model)
  if (message.audio === null) delete message.audio
  if (message.tool_calls === null) delete message.tool_calls
  if (message.images === null) delete message.images
  for (const [at, call] of (message.tool_calls ?? []).entries()) {
    if (!call.function?.name && !call.custom) continue
    call.id ||= createCallId(responseId, typeof call.index === 'number' ? call.index : at)
    call.type ??= call.custom ? 'custom' : 'function'
  }
}
