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
  readonly #callsById = new Map<string, RepeatedId>()

  assignCallId(id: string): string {
    const calls = this.#callsById.getOrInsertComputed(id, () => ({ assignedIds: [], resultCount: 0, lastNumber: 1 }))
    let unique = id
    // Continues after the last number, because to try all of them again would take quadratic time.
    while (this.#usedIds.has(unique)) unique = `${id}_${++calls.lastNumber}`
    this.#usedIds.add(unique)
    calls.assignedIds.push(unique)
    return unique
  }

  takeResultId(id: string): string {
    const calls = this.#callsById.get(id)
    if (!calls) return id
    return calls.assignedIds[calls.resultCount++] ?? calls.assignedIds.at(-1)!
  }
}

/** The calls with the same id, and how many of them have a result. */
type RepeatedId = { assignedIds: string[]; resultCount: number; lastNumber: number }
