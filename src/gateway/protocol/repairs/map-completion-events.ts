import type { CompletionEvent } from '#chat/events.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'

/**
 * Wraps a protocol, so that a mapper replaces the events of responses.
 * @param createMapper creates the function that maps the events of one response, in order. The function can have state.
 */
export function mapCompletionEvents(
  protocol: ProviderProtocol,
  createMapper: () => (event: CompletionEvent) => CompletionEvent[],
): ProviderProtocol {
  return {
    ...protocol,
    // The mapper has to see every event.
    isStateless: false,
    createReader(context) {
      const read = protocol.createReader(context)
      const map = createMapper()
      return (event) => read(event).flatMap(map)
    },
    readBody: (body, context) => protocol.readBody(body, context).flatMap(createMapper()),
  }
}
