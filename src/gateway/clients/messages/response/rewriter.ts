import type { CompletionEvent } from '#chat/events.ts'
import { applyChanges, type Changes, toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import type { ResponseHead } from '../../../protocol/client-protocol.ts'
import { changeField, type PassthroughRewriter, parseEventObject } from '../../../protocol/passthrough-rewriter.ts'
import { formatEvent } from './block-writer.ts'
import { correctCalls, StreamCallRepair } from './call-repair.ts'
import { toMessageObject, toMessageUsage } from './message.ts'

/**
 * Rewrites Anthropic's responses: replaces the names of model and provider, which are in the first event of a stream, by those of the
 * catalogue, and repairs tool calls that violate the protocol.
 */
export function createMessagesRewriter(head: ResponseHead): PassthroughRewriter {
  const { model, provider } = head
  const changes = { set: { model: toLatin1Json(model), provider: toLatin1Json(provider ?? null) }, fill: {} }
  const calls = new StreamCallRepair(head)
  const frame = new StreamFrame(head)
  let completionTokens = 0
  const rewrite = (raw: Buffer, events: readonly CompletionEvent[]) => {
    for (const completionEvent of events)
      if (completionEvent.type === 'usage') completionTokens = completionEvent.tokens.completion
    const finish = events.find((completionEvent) => completionEvent.type === 'finish')
    if (finish && finish.native === undefined)
      return calls.repair(insertStopReason(raw, finish, completionTokens), events)
    const withNames = raw.includes('message_start') ? changeField(raw, 'message', startChanges(raw, changes)) : raw
    const stop = findStopReasonChange(events)
    return calls.repair(withEventName(stop ? changeField(withNames, 'delta', stop) : withNames), events)
  }
  return {
    rewriteEvent: (event, events = []) => {
      const start = frame.writeMissingStart(event)
      const rewritten = rewrite(event, events)
      return start ? Buffer.concat([start, rewritten]) : rewritten
    },
    writeRemaining: (events) => calls.writeRemaining(events),
    writeEnd: () => frame.end(),
    rewriteWhole: (response, _body, events) => {
      const repaired = correctCalls(response, events)
      const { set, fill } = changes
      return applyChanges(repaired, repaired.indexOf('{'), {
        set: { ...set, ...findStopReasonChange(events)?.set },
        fill,
      })
    },
  }
}

/** Content in the first event of a stream, as `startChanges` finds it. */
const firstContent = /"content"\s*:\s*\[\s*\{/

/**
 * Returns the changes of the first event of a stream. They also remove its content: clients get the content in blocks, and would
 * otherwise have it twice.
 */
function startChanges(raw: Buffer, { set, fill }: Changes): Changes {
  return firstContent.test(raw.toString('latin1')) ? { set: { ...set, content: '[]' }, fill } : { set, fill }
}

/** The first and the last event of a stream, without which official clients refuse it. */
class StreamFrame {
  readonly #head: ResponseHead
  #isStarted = false
  #isStopped = false

  constructor(head: ResponseHead) {
    this.#head = head
  }

  /** The start of a message, if the upstream omitted it before an event. */
  writeMissingStart(raw: Buffer): Buffer | undefined {
    if (raw.length < maxStopLength && raw.includes('"message_stop"')) this.#isStopped = true
    if (this.#isStarted) return undefined
    if (!raw.includes('"message_start"') && !raw.includes('"content_block_start"')) return undefined
    this.#isStarted = true
    if (raw.includes('"message_start"')) return undefined
    const message = toMessageObject(this.#head, [], null, toMessageUsage(undefined))
    return Buffer.from(formatEvent('message_start', { message }))
  }

  end(): string {
    return this.#isStopped ? '' : 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
  }
}

/** An event `message_stop` is shorter, even with usage. The limit avoids a search in long events. */
const maxStopLength = 2000

/** Adds the event `message_delta` with the stop reason, which the upstream omitted, before its last event. */
function insertStopReason(
  raw: Buffer,
  { reason }: Extract<CompletionEvent, { type: 'finish' }>,
  output_tokens: number,
): Buffer {
  const stop_reason = reason === 'tool_calls' ? 'tool_use' : 'end_turn'
  const fields = { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } }
  return Buffer.concat([Buffer.from(formatEvent('message_delta', fields)), withEventName(raw)])
}

const eventLine = /^event:/m

/** Anthropic's clients read only events with a name, which is the type in their data. */
function withEventName(raw: Buffer): Buffer {
  if (raw.toString('latin1', 0, 'event:'.length) === 'event:' || eventLine.test(raw.toString('latin1'))) return raw
  const { type } = parseEventObject(raw) as { type?: unknown }
  return typeof type === 'string' ? Buffer.concat([Buffer.from(`event: ${type}\n`), raw]) : raw
}

/** The upstream's stop reasons, each with the finish reason of the read events that contradicts it. */
const contradictions: Partial<Record<string, string>> = { end_turn: 'tool_calls', tool_use: 'stop' }

/** Finds the correct stop reason of a response whose stop reason contradicts its tool calls. */
function findStopReasonChange(
  events: readonly CompletionEvent[],
): { set: { stop_reason: string }; fill: Record<string, string> } | undefined {
  const finish = events.find((event) => event.type === 'finish')
  if (finish?.native === undefined || contradictions[finish.native] !== finish.reason) return undefined
  return { set: { stop_reason: finish.reason === 'stop' ? '"end_turn"' : '"tool_use"' }, fill: {} }
}
