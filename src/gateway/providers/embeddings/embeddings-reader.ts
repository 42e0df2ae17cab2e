import type { CompletionEvent } from '#chat/events.ts'
import { JsonListReader } from '#platform/json/json-text/json-list-reader.ts'
import type { BodyReader } from '../../protocol/provider-protocol.ts'
import { encodeVector, type VectorFormat } from './vector-json.ts'

/** The field names of a provider's response: its list, and in each item the vector and the position of its input. */
export type EmbeddingsLayout = {
  list: string
  vector: string
  index?: string
  /** Reads the response without its vectors: an error, or the id, the model and the usage. */
  readEnvelope: (envelope: Record<string, unknown>) => CompletionEvent[]
}

/** Reads the vectors of a response, in the order of the inputs. */
export class EmbeddingsReader implements BodyReader {
  readonly #layout: EmbeddingsLayout
  readonly #format: VectorFormat
  readonly #vectors: (Buffer | undefined)[]
  #count = 0
  readonly #list: JsonListReader

  /** @param inputs the number of inputs. @param format the requested format of the vectors. */
  constructor(layout: EmbeddingsLayout, inputs: number, format: VectorFormat) {
    this.#layout = layout
    this.#format = format
    this.#vectors = new Array(inputs).fill(undefined)
    this.#list = new JsonListReader(layout.list, (item) => this.#add(item))
  }

  push(bytes: Buffer): void {
    this.#list.push(bytes)
  }

  end(): CompletionEvent[] {
    const envelope = this.#list.end()
    if (typeof envelope !== 'object' || envelope === null) throw new Error('it is not an object')
    const events = this.#layout.readEnvelope(envelope as Record<string, unknown>)
    if (events.some(({ type }) => type === 'error')) return events
    const items = this.#vectors.filter((vector) => vector !== undefined)
    if (items.length < this.#vectors.length)
      throw new Error(`it has ${items.length} embeddings for ${this.#vectors.length} inputs`)
    return [{ type: 'items', items }, { type: 'finish', reason: 'stop', native: undefined }, ...events]
  }

  #add(json: Buffer): void {
    const item = JSON.parse(json.toString('utf8')) as Record<string, unknown>
    const { vector, index } = this.#layout
    const at = (index === undefined ? undefined : item[index]) ?? this.#count
    this.#count++
    if (typeof at !== 'number' || !(at in this.#vectors) || this.#vectors[at] !== undefined)
      throw new Error(`it has an embedding for an input that does not exist, or two for one of ${this.#vectors.length}`)
    this.#vectors[at] = encodeVector(json, item[vector], this.#format)
  }
}
