import { applyChanges, type Changes, findFields } from '#platform/json/json-text/json-fields.ts'
import { copyBytes } from '#platform/text/copy-bytes.ts'

/** Reuses the rewritten start of a stream's events, which are equal up to a field, instead of rewriting each event. */
export class EventPrefix {
  readonly #lastName: string
  readonly #nonNullName: string
  readonly #changes: () => Required<Changes>
  readonly #quotedName: string
  readonly #nullField: string
  /** The start of the events, as the upstream sends it and as the client gets it. */
  #prefix: Buffer = emptyBuffer
  #rewrittenPrefix: Buffer = emptyBuffer
  /** Fields that the prefix does not have and that may follow it. */
  #searched: string[] = []

  /**
   * @param lastName the first field that can differ between events, such as `choices` in the chunks of chats.
   * @param nonNullName a field that clients do not get as null, and that usually follows the prefix, such as `usage`.
   * @param changes called for each new prefix, which is rare. Other fields that clients do not get as null are also in them.
   */
  constructor(lastName: string, nonNullName: string, changes: () => Required<Changes>) {
    this.#lastName = lastName
    this.#nonNullName = nonNullName
    this.#changes = changes
    this.#quotedName = quoteName(nonNullName)
    this.#nullField = `,"${nonNullName}":null`
  }

  /** Returns the rest of an event that has the learned prefix and needs no change after it; undefined for others. */
  matchRest(raw: Buffer): string | undefined {
    const { length } = this.#prefix
    if (length === 0 || raw.length < length || raw.compare(this.#prefix, 0, length, 0, length) !== 0) return undefined
    const rest = raw.toString('latin1', length)
    for (const name of this.#searched) if (rest.includes(name)) return undefined
    const nameStart = rest.indexOf(this.#quotedName)
    return nameStart === -1 || this.#isTopLevelNull(rest, nameStart - 1) ? rest : undefined
  }

  /** Whether a null is certainly a field of the event, and not of a choice. */
  #isTopLevelNull(rest: string, at: number): boolean {
    if (!rest.startsWith(this.#nullField, at)) return false
    endOfObject.lastIndex = at + this.#nullField.length
    return endOfObject.test(rest)
  }

  /** Rewrites an event that has the learned prefix. @param rest its bytes after the prefix, from `matchRest`. */
  rewrite(raw: Buffer, rest: string): Buffer {
    const from = this.#prefix.length
    const at = rest.indexOf(this.#nullField)
    if (at === -1) return Buffer.concat([this.#rewrittenPrefix, raw.subarray(from)])
    return Buffer.concat([
      this.#rewrittenPrefix,
      raw.subarray(from, from + at),
      raw.subarray(from + at + this.#nullField.length),
    ])
  }

  /** Rewrites an event with another prefix and learns the prefix. @param from the start of its object. */
  learn(text: string, from: number): string {
    const fields = findFields(text, from)
    const changes = this.#changes()
    const result = applyChanges(text, from, changes)
    const at = fields.findIndex(({ name }) => name === this.#lastName)
    const last = fields[at]
    if (!last) return result
    const { set, fill, notNull } = changes
    const prefixNames = new Set(fields.slice(0, at).map(({ name }) => name))
    const changedNames = [...Object.keys(set), ...Object.keys(fill), ...notNull]
    const searched = changedNames.filter((name) => !prefixNames.has(name) && name !== this.#nonNullName)
    // Such a field can follow the prefix, so the prefix cannot be reused.
    if (fields.slice(at).some(({ name }) => searched.includes(name))) return result
    const tail = text.slice(last.start)
    // The tail differs if a null was removed from it.
    const tailStart = result.endsWith(tail) ? result.length - tail.length : this.#findLastField(result, from)
    if (tailStart === undefined) return result
    this.#searched = searched.map(quoteName)
    const bytes = (part: string) => Buffer.from(part, 'latin1')
    const storedBytes = copyBytes({
      before: bytes(text.slice(0, last.start)),
      after: bytes(result.slice(0, tailStart)),
    })
    this.#prefix = storedBytes.before
    this.#rewrittenPrefix = storedBytes.after
    return result
  }

  #findLastField(text: string, from: number): number | undefined {
    return findFields(text, from).find(({ name }) => name === this.#lastName)?.start
  }
}

/** Matches the rest of an object without nested objects or lists. */
const endOfObject = /[^[\]{}]*\}\s*$/y

const emptyBuffer = Buffer.alloc(0)
const quoteName = (name: string) => `"${name}"`
