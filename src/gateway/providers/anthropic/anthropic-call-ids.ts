import type { Repair } from '../../protocol/repairs/repair.ts'
import { mapBlocks } from './map-blocks.ts'

type Block = { type?: unknown; id?: unknown; tool_use_id?: unknown }

/** Makes the ids of calls unique, as Anthropic requires. Some models restart the numbering of calls in each turn. */
export const uniqueCallIds: Repair = (body) => {
  const ids = new UniqueIds()
  return mapBlocks<Block>(body, (block) => withUniqueId(block, ids))
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

/** Appends a number to repeated ids. The results with an id belong to its calls in the same order. */
class UniqueIds {
  readonly #usedIds = new Set<string>()
  readonly #unansweredIds = new Map<string, string[]>()
  readonly #latestIds = new Map<string, string>()

  assignCallId(id: string): string {
    let unique = id
    for (let count = 2; this.#usedIds.has(unique); count++) unique = `${id}_${count}`
    this.#usedIds.add(unique)
    this.#latestIds.set(id, unique)
    const waitingIds = this.#unansweredIds.get(id)
    if (waitingIds) waitingIds.push(unique)
    else this.#unansweredIds.set(id, [unique])
    return unique
  }

  takeResultId(id: string): string {
    return this.#unansweredIds.get(id)?.shift() ?? this.#latestIds.get(id) ?? id
  }
}
