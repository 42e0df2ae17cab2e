import { readProperty } from '../../acp/rpc-message.ts'
import { hasEnded, readToolCall, type ToolCall } from '../../acp/tool-calls/tool-call.ts'

const limits = { calls: 200, characters: 16 * 1024 * 1024 }

/** A call with its id in the run. */
type IdentifiedCall = { id: string; tool: ToolCall }

type CachedCall = IdentifiedCall & { size: number; repetitions: number }

/**
 * The latest tool calls of a run. A later permission request can omit their details. Agents pass on the ids of their models, and
 * some models repeat ids (`call_0`), so a later call with the id of an ended call gets a new id.
 */
export class ToolCallCache {
  readonly #calls = new Map<string, CachedCall>()
  /** The size of all calls, in UTF-16 units. */
  #size = 0

  /** The call that a permission request with this id is about, as far as the agent has reported it. */
  get(agentId: string): ToolCall | undefined {
    const tool = this.#calls.get(agentId)?.tool
    // An ended call needs no permission, so the request is about a later call.
    return tool && !hasEnded(tool) ? tool : undefined
  }

  /** Adds a call, or an update of a call. @returns the whole call. */
  add(agentId: string, update: unknown): IdentifiedCall {
    const before = this.#calls.get(agentId)
    const isRepetition =
      before !== undefined && hasEnded(before.tool) && readProperty(update, 'sessionUpdate') === 'tool_call'
    const repetitions = (before?.repetitions ?? 0) + (isRepetition ? 1 : 0)
    const tool = readToolCall(update, isRepetition ? undefined : before?.tool)
    const id = repetitions === 0 ? agentId : `${agentId}#${repetitions + 1}`
    this.#delete(agentId)
    const size = sizeOf(tool)
    this.#calls.set(agentId, { id, tool, size, repetitions })
    this.#size += size
    this.#enforceLimits()
    return { id, tool }
  }

  #enforceLimits(): void {
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= limits.calls && this.#size <= limits.characters) return
      this.#delete(oldest)
    }
  }

  #delete(agentId: string): void {
    this.#size -= this.#calls.get(agentId)?.size ?? 0
    this.#calls.delete(agentId)
  }
}

function sizeOf({ changes = [], paths = [], ...texts }: ToolCall): number {
  const lengths = [...Object.values(texts), ...paths].map((text) => text.length)
  const changeLengths = changes.map(({ before, after, path }) => (before?.length ?? 0) + after.length + path.length)
  return [...lengths, ...changeLengths].reduce((sum, length) => sum + length, 0)
}
