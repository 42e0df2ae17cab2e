import type { Candidate } from '../../plan/plan.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import { healingClient } from './healing.ts'
import { middleOut, promptTokensOf } from './middle-out.ts'
import { pluginOptions } from './plugin-options.ts'

/** A request after its plugins were applied. */
export type RequestWithPlugins = PreparedRequest & {
  /**
   * The estimated length of the prompt; defined if the request allows the prompt to be shortened. It is the usual
   * estimate, not the cautious one.
   */
  promptTokens: number | undefined
}

/**
 * Shortens the prompt and sets up the repair of the answer, if the request asks for it. Only chats have plugins.
 * @throws Fault `invalid`.
 */
export function applyPlugins(prepared: PreparedRequest, candidates: readonly Candidate[]): RequestWithPlugins {
  if (prepared.client.task !== undefined) return { ...prepared, promptTokens: undefined }
  const options = pluginOptions(prepared.body)
  const fitting = options.isCompressing ? fitToContext(prepared, candidates) : prepared
  return {
    chat: fitting.chat,
    body: fitting.body,
    preset: prepared.preset,
    client: options.isHealing ? healingClient(prepared.client, fitting.chat) : prepared.client,
    promptTokens: options.isCompressing ? promptTokensOf(fitting.chat) : undefined,
  }
}

/** The estimate after a cut can be still too long, because texts differ in the length of their tokens. */
const maxCuts = 3

function fitToContext(prepared: PreparedRequest, candidates: readonly Candidate[]): PreparedRequest {
  const { client } = prepared
  let fitting = prepared
  for (let cuts = 0; cuts < maxCuts; cuts++) {
    const body = middleOut(fitting.body, client.conversation, fitting.chat, candidates)
    if (!body) return fitting
    fitting = { ...fitting, body, chat: client.toChat(body) }
  }
  return fitting
}
