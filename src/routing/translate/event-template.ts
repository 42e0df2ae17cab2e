/** Whether the text needs no escapes in JSON. */
const isPlain = (text: string) => !/["\\\u0000-\u001f]/.test(text)

/** No text that a model is likely to say, so that it is found in one place. */
const probe = 'signalbox probe'

/** After so many events that fit no template, a stream is parsed event by event. */
const mostTrials = 4

/**
 * Most events of a stream differ only in their text. A template learned from one event gives the text of the next ones,
 * and their rewritten form, without parsing.
 */
export class EventTemplate {
  #before = ''
  #after = ''
  #trials = 0

  /** The text of an event that is otherwise like the one that was learned; undefined of any other. */
  textIn(event: string): string | undefined {
    const [from, to] = [this.#before.length, event.length - this.#after.length]
    if (from === 0 || to <= from || !event.startsWith(this.#before) || !event.endsWith(this.#after)) return undefined
    const text = event.slice(from, to)
    return isPlain(text) ? text : undefined
  }

  /**
   * @param text what the event says.
   * @param isSaid whether an event with the probe in the place of that text says the probe, and nothing else.
   */
  learn(event: string, text: string, isSaid: (event: string, probe: string) => boolean): void {
    const at = event.indexOf(`"${text}"`) + 1
    if (at === 0 || !isPlain(text) || this.#trials === mostTrials) return
    this.#trials++
    const [before, after] = [event.slice(0, at), event.slice(at + text.length)]
    if (!isSaid(before + probe + after, probe)) return
    this.#before = before
    this.#after = after
  }
}

const quote = 34
const backslash = 92

/** The same of bytes that are changed around the text. */
export class AlikeBytes {
  #before: Buffer = Buffer.alloc(0)
  #after: Buffer = Buffer.alloc(0)
  #newBefore: Buffer = Buffer.alloc(0)
  #newAfter: Buffer = Buffer.alloc(0)
  #trials = 0

  /** The rewritten form of an event that has the learned template; undefined for any other. */
  changed(event: Buffer): Buffer | undefined {
    const [from, to] = [this.#before.length, event.length - this.#after.length]
    if (from === 0 || to <= from) return undefined
    if (event.compare(this.#before, 0, from, 0, from) !== 0 || event.compare(this.#after, 0, undefined, to) !== 0)
      return undefined
    for (let at = from; at < to; at++) {
      const byte = event[at]!
      if (byte === quote || byte === backslash || byte < 32) return undefined
    }
    const length = this.#newBefore.length + to - from
    const changed = Buffer.allocUnsafe(length + this.#newAfter.length)
    changed.set(this.#newBefore)
    event.copy(changed, this.#newBefore.length, from, to)
    changed.set(this.#newAfter, length)
    return changed
  }

  /** @param change what is made of an event, which depends on its text only as far as that has quotes or escapes. */
  learn(event: Buffer, changed: Buffer, change: (event: Buffer) => Buffer): void {
    if (this.#trials === mostTrials) return
    const text = event.toString('latin1')
    const found = /"content"\s*:\s*"([^"\\\u0000-\u001f]+)"/.exec(text)
    if (!found) return
    this.#trials++
    const to = found.index + found[0].length - 1
    const from = to - found[1]!.length
    const [before, after] = [text.slice(0, from), text.slice(to)]
    const parts = change(Buffer.from(before + probe + after, 'latin1'))
      .toString('latin1')
      .split(probe)
    if (parts.length !== 2 || changed.toString('latin1') !== parts.join(found[1])) return
    this.#before = Buffer.from(before, 'latin1')
    this.#after = Buffer.from(after, 'latin1')
    this.#newBefore = Buffer.from(parts[0]!, 'latin1')
    this.#newAfter = Buffer.from(parts[1]!, 'latin1')
  }
}
