import type { Candidate } from '../../plan/plan.ts'
import type { ClientProtocol } from '../../protocol/protocol.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import { healing } from './healing.ts'
import { middleOut, promptTokensOf } from './middle-out.ts'
import { pluginOptions } from './plugin-options.ts'

/** A request as what it wishes of this service has made it, and the client whose answers are made so. */
type PluggedRequest = PreparedRequest & {
  client: ClientProtocol
  /**
   * The estimated length of the prompt; defined if the request allows the prompt to be shortened. It is the usual
   * estimate, not the cautious one.
   */
  promptTokens: number | undefined
}

/** @throws Fault `invalid` for a wish that this service cannot meet. */
export function applyPlugins(
  asked: PreparedRequest,
  client: ClientProtocol,
  candidates: readonly Candidate[],
): PluggedRequest {
  const options = pluginOptions(asked.body)
  const fitting = options.fits ? fitted(asked, client, candidates) : asked
  return {
    ...fitting,
    client: options.heals ? healing(client, fitting.chat) : client,
    promptTokens: options.fits ? promptTokensOf(fitting.chat) : undefined,
  }
}

function fitted(asked: PreparedRequest, client: ClientProtocol, candidates: readonly Candidate[]): PreparedRequest {
  const body = middleOut(asked.body, client.conversation, asked.chat, candidates)
  return body ? { ...asked, body, chat: client.toChat(body) } : asked
}
