import { mapItems } from '#platform/json/map-texts.ts'
import type { Body } from '../../protocol/protocol.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'

type Block = { type?: unknown; id?: unknown; tool_use_id?: unknown }
type Turn = { content?: unknown } & Body

/** Anthropic refuses two calls with one id. Some models start to number their calls again in each turn. */
export const uniqueCallIds: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const ids = new UniqueIds()
  const messages = mapItems(body.messages as Turn[], (turn) => {
    if (!Array.isArray(turn?.content)) return turn
    const content = mapItems(turn.content as Block[], (block) => withUniqueId(block, ids))
    return content === turn.content ? turn : { ...turn, content }
  })
  return messages === body.messages ? body : { ...body, messages }
}

function withUniqueId(block: Block, ids: UniqueIds): Block {
  if (block?.type === 'tool_use' && typeof block.id === 'string') {
    const id = ids.assignCallId(block.id)
    return id === block.id ? block : { ...block, id }
  }
  if (block?.type !== 'tool_result' || typeof block.tool_use_id !== 'string') return block
  const id = ids.takeResultId(block.tool_use_id)
  return id === block.tool_use_id ? block : { ...block, tool_use_id: id }
}

/** Gives repeated ids a number. Results belong to the calls of their id in the same order. */
class UniqueIds {
  readonly #used = new Set<string>()
  readonly #unanswered = new Map<string, string[]>()
  readonly #latest = new Map<string, string>()

  assignCallId(id: string): string {
    let unique = id
    for (let count = 2; this.#used.has(unique); count++) unique = `${id}_${count}`
    this.#used.add(unique)
    this.#latest.set(id, unique)
    const unanswered = this.#unanswered.get(id)
    if (unanswered) unanswered.push(unique)
    else this.#unanswered.set(id, [unique])
    return unique
  }

  takeResultId(id: string): string {
    return this.#unanswered.get(id)?.shift() ?? this.#latest.get(id) ?? id
  }
}
