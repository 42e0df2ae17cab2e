import type { AnswerEvent } from '#chat/events.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'

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
    reader(context) {
      const read = protocol.reader(context)
      const map = createMapper()
      return (event) => read(event).flatMap(map)
    },
    readBody: (body, context) => protocol.readBody(body, context).flatMap(createMapper()),
  }
}
