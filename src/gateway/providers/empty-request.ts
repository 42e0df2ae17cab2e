import { Fault } from '#platform/core/fault.ts'

/** No provider accepts an empty list of messages. */
export function emptyRequestFault(): Fault {
  return new Fault('invalid', 'messages: have no content. Send at least one with text, an image or a file.')
}
