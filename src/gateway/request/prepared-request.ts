import type { ChatRequest } from '#chat/chat-request.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { CompletionCall } from '../completion-call.ts'
import { applyPreset } from '../presets/apply-preset.ts'
import type { PresetCache } from '../presets/preset-cache.ts'
import { type PresetReference, presetReference } from '../presets/preset-reference.ts'
import type { Body } from '../protocol/protocol.ts'

/** A request as a chat request and as the client's own body, with its preset applied. */
export type PreparedRequest = { chat: ChatRequest; body: Body; preset: Generation['preset'] }

/**
 * The request with its preset in it: guardrails and the plan see nothing else, so that what a preset says is decided
 * like what a client says. @throws Fault `not_found` for a preset that cannot be used.
 */
export function prepareRequest(
  deps: { presets: PresetCache },
  call: CompletionCall,
): PreparedRequest | Promise<PreparedRequest> {
  const named = presetReference(call.body)
  if (!named) return { chat: call.client.toChat(call.body), body: call.body, preset: undefined }
  return prepareWithPreset(deps, call, named)
}

async function prepareWithPreset({ presets }: { presets: PresetCache }, call: CompletionCall, named: PresetReference) {
  const found = await presets.find(call.caller.workspaceId, named.slug)
  const { id, slug } = found
  const version = named.version === undefined ? found.designated_version : await presets.version(found, named.version)
  const { preset: style, toChat } = call.client
  const whole = applyPreset(version, named.rest, style)
  return {
    chat: toChat(whole),
    body: style.forUpstream ? style.forUpstream(whole, named.rest) : whole,
    preset: { id, slug, version: version.version },
  }
}
