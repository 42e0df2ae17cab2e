import { JsonExtent } from '#platform/core/json-extent.ts'
import type { ToolCall } from './model.ts'

/** A piece of a tool call in a streamed chunk. Providers can omit any field. */
export type CallDelta = {
  index?: number | null
  id?: string | null
  function?: { name?: string | null; arguments?: string | null } | null
}

/** A call whose pieces arrive. `id` is the provider's. */
type PartialCall = {
  index: number | undefined
  id: string | undefined
  name: string
  arguments: string
  extent: JsonExtent
}

/** Missing texts are empty. */
type Piece = { index: number | undefined; id: string | undefined; name: string; text: string }

/** Assembles the tool calls of a response from pieces, some of which have no index or id, or those of another call. */
export class PartialCalls {
  readonly #newId: () => string
  readonly #calls: PartialCall[] = []
  readonly #byIndex = new Map<number, PartialCall>()
  readonly #byId = new Map<string, PartialCall>()
  #latest: PartialCall | undefined

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** Adds the pieces of one chunk. */
  add(deltas: CallDelta[]): void {
    let previous: PartialCall | undefined
    for (const { index, id, function: details } of deltas) {
      const { name, arguments: text } = details ?? {}
      const piece = { index: index ?? undefined, id: id || undefined, name: name ?? '', text: text ?? '' }
      previous = this.#addPiece(piece, previous)
    }
  }

  /** Returns the calls in the order in which they started. */
  complete(): ToolCall[] {
    return this.#calls.map((call) => ({
      id: call.id ?? `call_${this.#newId()}`,
      name: call.name,
      arguments: call.arguments,
    }))
  }

  /** @param previous the call of the previous piece of the same chunk. */
  #addPiece(piece: Piece, previous: PartialCall | undefined): PartialCall {
    const call = this.#find(piece, previous) ?? this.#start()
    call.id ??= piece.id
    call.index ??= piece.index
    if (call.name !== piece.name) call.name += piece.name
    this.#latest = call
    if (call.id !== undefined && !this.#byId.has(call.id)) this.#byId.set(call.id, call)
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call)
    // Some providers send the whole arguments again at the end.
    if (!call.extent.isComplete || piece.text !== call.arguments) call.arguments += piece.text
    call.extent.push(piece.text)
    return call
  }

  #start(): PartialCall {
    const call = { index: undefined, id: undefined, name: '', arguments: '', extent: new JsonExtent() }
    this.#calls.push(call)
    return call
  }

  /** Returns the call with the id of the piece, or else with its index, or else the latest; undefined for a new call. */
  #find(piece: Piece, previous: PartialCall | undefined): PartialCall | undefined {
    const { index, id, name, text } = piece
    const byId = id === undefined ? undefined : this.#byId.get(id)
    if (byId && (index === undefined || byId.index === undefined || index === byId.index)) return byId
    const byIndex = index === undefined ? undefined : this.#byIndex.get(index)
    const isOrdered = index === undefined || this.#latest?.index === undefined
    const call = byIndex ?? (isOrdered ? this.#latest : undefined)
    if (!call) return undefined
    const startsObject = text.trimStart().startsWith('{')
    // Some providers send each piece with another id.
    const continuesArguments = call.extent.isUnclosed && name === '' && text.trim() !== '' && !startsObject
    if (id !== undefined && call.id !== undefined) return byId || !continuesArguments ? undefined : call
    if (name === '' || call.name === '') return call
    if (call.extent.isComplete && startsObject) return undefined
    // A name without an id is repeated or continued, or is that of another call, which can also lack an id.
    if (name === call.name) return index === undefined && call === previous ? undefined : call
    return index !== undefined && call.arguments === '' && (call.id !== undefined || text === '') ? call : undefined
  }
}
