import { withRoot } from './address/root.ts'

/** Responses of the API that the page contains, by address: those of the first requests of its screen. */
const responses = new Map<string, unknown>()
addPreloadedResponses(JSON.parse(textOf('preloaded') ?? '{}'))

export const currentSessionPath = withRoot('/api/v1/sessions/current')

/** Whether the page contains the session, so that no request is needed for it. */
export const hasPreloadedSession = responses.has(currentSessionPath)

/** Takes the text of an element out of the page. It can be long, and is needed once. */
function textOf(id: string): string | undefined {
  const element = globalThis.document?.getElementById(id)
  element?.remove()
  return element?.textContent || undefined
}

export function addPreloadedResponses(added: Record<string, unknown>): void {
  for (const [address, response] of Object.entries(added)) responses.set(address, response)
}

/** Takes a response out of the page. Each is used once: a later request must return newer data. */
export function takePreloadedResponse(address: string): unknown {
  const response = responses.get(address)
  responses.delete(address)
  return response
}

/** Removes the responses when somebody signs in: they belong to the previous session. */
export const dropPreloadedResponses = (): void => responses.clear()
