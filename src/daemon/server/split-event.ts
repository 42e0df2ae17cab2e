import type { Question } from '#interns/contract/question.ts'
import { maxEventBytes, type TurnEvent } from '#interns/contract/turn-event.ts'
import { beginningOf, cutPlace } from '#platform/text/whole-characters.ts'

/** A character takes up to six bytes in JSON. */
const pieceCharacters = 32 * 1024
const longestMessage = 10_000

/**
 * Splits an event into several that the contract accepts. An agent may send more text at once than one event may have.
 */
export function splitEvent(event: TurnEvent): TurnEvent[] {
  if ('message' in event && event.message.length > longestMessage)
    return [{ ...event, message: `${beginningOf(event.message, longestMessage)}…` }]
  if (!('text' in event) || event.text.length <= pieceCharacters) return [event]
  const pieces: TurnEvent[] = []
  for (let from = 0; from < event.text.length; ) {
    const to = cutPlace(event.text, from + pieceCharacters)
    pieces.push({ type: event.type, text: event.text.slice(from, to) })
    from = to
  }
  return pieces
}

/** @throws Error when nobody can be asked this, since it is more than can be told. */
export function refuseTooLarge(question: Question): void {
  const bytes = Buffer.byteLength(JSON.stringify(question))
  if (bytes > maxEventBytes / 2)
    throw new Error(`The agent asks a question of ${bytes} bytes; at most ${maxEventBytes / 2} can be shown.`)
}
