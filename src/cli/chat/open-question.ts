import type { OpenQuestion } from '../commands/interns.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import type { AgentQuestion } from './conversation.ts'

/** Finds the open question of a session. It may come from a turn that another client started. */
export async function fetchOpenQuestion(
  client: Pick<ApiClient, 'request'>,
  intern: string,
  session: string,
): Promise<AgentQuestion | undefined> {
  const { data } = await client.request<{ data: OpenQuestion[] }>('GET', internPath(intern, '/questions'))
  return data.findLast((question) => question.session_id === session)
}
