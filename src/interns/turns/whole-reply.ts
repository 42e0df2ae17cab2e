import type { Usage } from '#chat/usage.ts'
import type { ActivityItem } from '../contract/activity-item.ts'
import { type ChatReason, chatFault, faultKindByStatus } from '../contract/chat-fault.ts'
import { type ChunkNames, ChunkWriter, type InternChunk } from '../contract/chunks.ts'
import type { BudgetLimitName } from '../contract/turn-budget.ts'
import { describeTimeout, type Turn } from './chat-turn.ts'

/** The longest reply that is not streamed, in UTF-16 units. */
const maxReplyLength = 16 * 1024 * 1024

type ToolCalls = NonNullable<InternChunk['choices'][number]['delta']['tool_calls']>

/**
 * Collects the reply of a turn into one chat completion. An error that would end a stream is thrown.
 * @throws Fault with the reason that a chunk would have had.
 */
export async function collectReply(
  turn: Turn,
  names: ChunkNames,
  { now, idleTimeoutMs }: { now: () => number; idleTimeoutMs: number },
) {
  const writer = new ChunkWriter(turn.startedEvent, names, Math.floor(now() / 1000))
  const reply = new Reply(writer.roleChunk())
  for await (const event of turn.events) {
    const chunks = event === 'timeout' ? writer.timeoutChunks(describeTimeout(idleTimeoutMs)) : writer.chunksOf(event)
    for (const chunk of chunks) reply.add(chunk)
  }
  return reply.whole()
}

class Reply {
  readonly #first: InternChunk
  #last: InternChunk
  #content: string[] = []
  #reasoning: string[] = []
  #characters = 0
  #calls: ToolCalls = []
  readonly #activity = new Map<string, { item: ActivityItem; length: number }>()
  #finish: string | null = null

  constructor(first: InternChunk) {
    this.#first = first
    this.#last = first
  }

  add(chunk: InternChunk): void {
    this.#last = chunk
    const { error } = chunk
    if (error) {
      const { reason, ...options } = error.metadata as {
        reason: ChatReason
        retryable: boolean
        budget?: BudgetLimitName
      }
      throw chatFault(faultKindByStatus[error.code] ?? 'bad_gateway', reason, error.message, options)
    }
    if (chunk.activity) this.#addActivity(chunk.activity)
    for (const { delta, finish_reason } of chunk.choices) {
      if (delta.content) this.#content.push(delta.content)
      if (delta.reasoning) this.#reasoning.push(delta.reasoning)
      this.#characters += (delta.content?.length ?? 0) + (delta.reasoning?.length ?? 0)
      this.#calls.push(...(delta.tool_calls ?? []))
      this.#finish = finish_reason ?? this.#finish
    }
    if (this.#characters > maxReplyLength)
      throw chatFault(
        'bad_gateway',
        'turn_failed',
        'The reply is too long for one response: request it with "stream": true.',
      )
  }

  /** Adds an activity, which replaces an earlier state of the same tool call, or the earlier plan. */
  #addActivity(item: ActivityItem): void {
    const key = item.type === 'plan' ? 'plan' : `call ${item.tool_call_id}`
    const { length } = JSON.stringify(item)
    this.#characters += length - (this.#activity.get(key)?.length ?? 0)
    this.#activity.delete(key)
    this.#activity.set(key, { item, length })
  }

  whole() {
    const { id, created } = this.#first
    const { session_id, usage, model } = this.#last
    const message = {
      role: 'assistant' as const,
      content: this.#calls.length > 0 && this.#content.length === 0 ? null : this.#content.join(''),
      ...(this.#reasoning.length > 0 && { reasoning: this.#reasoning.join('') }),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls.map(({ index: _, ...call }) => call) }),
    }
    return {
      id,
      object: 'chat.completion' as const,
      created,
      model,
      choices: [{ index: 0, message, finish_reason: this.#finish }],
      ...(usage && { usage: usage as Usage }),
      session_id,
      ...(this.#activity.size > 0 && { activity: [...this.#activity.values()].map(({ item }) => item) }),
    }
  }
}
