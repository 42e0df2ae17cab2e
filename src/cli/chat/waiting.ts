import type { ApiClient } from '../api-client.ts'
import { internPath } from '../intern-path.ts'
import type { WaitingQuestion } from '../interns.ts'
import type { AgentQuestion } from './conversation.ts'

/** The open question of a session, if it waits for an answer. Another terminal may have caused it. */
export async function waitingIn(
  client: Pick<ApiClient, 'ask'>,
  intern: string,
  session: string,
): Promise<AgentQuestion | undefined> {
  const { data } = await client.ask<{ data: WaitingQuestion[] }>('GET', internPath(intern, '/questions'))
  return data.findLast((asked) => asked.session_id === session)
}
