import type { WaitingQuestion } from '../commands/interns.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
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
