import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import type { ProviderProtocol } from '../protocol.ts'

/**
 * The protocol with other events of its answers.
 * @param createMapper creates the function that maps the events of one answer, in their order. It can have state.
 */
export function mapAnswerEvents(
  protocol: ProviderProtocol,
  createMapper: () => (event: AnswerEvent) => AnswerEvent[],
): ProviderProtocol {
  return {
    ...protocol,
    // The mapper has to see every event.
    isStateless: false,
    reader(...answer) {
      const read = protocol.reader(...answer)
      const map = createMapper()
      return (event: SseEvent) => read(event).flatMap(map)
    },
    readBody: (body, ...answer) => protocol.readBody(body, ...answer).flatMap(createMapper()),
  }
}
