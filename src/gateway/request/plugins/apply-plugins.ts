import type { Candidate } from '../../plan/plan.ts'
import { type PreparedRequest, translateBody } from '../prepared-request.ts'
import { compressPrompt, estimatePromptTokens } from './compress-prompt.ts'
import { createHealingClient } from './healing.ts'
import { readPluginOptions } from './plugin-options.ts'

/** A request after its plugins were applied. */
export type RequestWithPlugins = PreparedRequest & {
  /**
   * The estimated length of the prompt; defined if the request allows the prompt to be shortened. The plan then excludes
   * endpoints by this estimate. Otherwise it uses a lower bound, so that no endpoint is excluded wrongly.
   */
  promptTokens: number | undefined
}

/**
 * Shortens the prompt and sets up the repair of the response, if the request asks for it. Only chats have plugins.
 * @throws Fault `invalid`.
 */
export function applyPlugins(prepared: PreparedRequest, candidates: readonly Candidate[]): RequestWithPlugins {
  if (prepared.client.task !== undefined) return { ...prepared, promptTokens: undefined }
  const options = readPluginOptions(prepared.body)
  const fittedRequest = options.compressPrompt ? fitToContext(prepared, candidates) : prepared
  return {
    chat: fittedRequest.chat,
    body: fittedRequest.body,
    preset: prepared.preset,
    skippedPresetFields: prepared.skippedPresetFields,
    client: options.healJson ? createHealingClient(prepared.client, fittedRequest.chat) : prepared.client,
    promptTokens: options.compressPrompt ? estimatePromptTokens(fittedRequest.chat) : undefined,
  }
}

/** After a cut, the prompt can still be too long, because the length of tokens differs between its texts. */
const maxCuts = 3

function fitToContext(prepared: PreparedRequest, candidates: readonly Candidate[]): PreparedRequest {
  const { client } = prepared
  let fitted = prepared
  for (let cuts = 0; cuts < maxCuts; cuts++) {
    const body = compressPrompt(fitted.body, client.conversation, fitted.chat, candidates)
    if (!body) return fitted
    fitted = { ...fitted, body, chat: translateBody(client, body) }
  }
  return fitted
}
