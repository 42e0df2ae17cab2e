import { withRoot } from './address/root.ts'

/** Responses of the API that the page contains, by address: those of the first requests of its screen. */
const answers = new Map<string, unknown>()
addPreloadedResponses(JSON.parse(textOf('first-answers') ?? '{}'))

export const currentSessionPath = withRoot('/api/v1/sessions/current')

/** Whether the page contains the session, so that no request is needed for it. */
export const hasPreloadedSession = answers.has(currentSessionPath)

/** Takes the text of an element out of the page. It can be long, and is needed once. */
function textOf(id: string): string | undefined {
  const element = globalThis.document?.getElementById(id)
  element?.remove()
  return element?.textContent || undefined
}

export function addPreloadedResponses(added: Record<string, unknown>): void {
  for (const [address, answer] of Object.entries(added)) answers.set(address, answer)
}

/** Takes a response out of the page. Each is used once: a later request must return newer data. */
export function takePreloadedResponse(address: string): unknown {
  const answer = answers.get(address)
  answers.delete(address)
  return answer
}

/** Removes the responses when somebody signs in: they belong to the previous session. */
export const dropPreloadedResponses = (): void => answers.clear()
