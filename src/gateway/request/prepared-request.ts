import type { ChatRequest } from '#chat/chat-request.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { CompletionCall } from '../completion-call.ts'
import { applyPreset } from '../presets/apply-preset.ts'
import type { PresetCache } from '../presets/preset-cache.ts'
import { readPresetReference } from '../presets/preset-reference.ts'
import type { ClientProtocol } from '../protocol/client-protocol.ts'
import { findSetFields } from '../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../protocol/request-body.ts'
import { withCallIds } from './client-forms/call-ids.ts'
import { withChatToolChoice, withoutEmptySettings } from './client-forms/chat-tool-choice.ts'
import { withChatTools } from './client-forms/chat-tools.ts'
import { withChatParts } from './client-forms/foreign-parts.ts'
import { withToolResults } from './client-forms/function-results.ts'
import { applyLitellmFields } from './client-forms/litellm-fields.ts'

/** A request with its preset applied. */
export type PreparedRequest = {
  chat: ChatRequest
  /** The same request in the client's protocol. For a task other than chats, it is the chat request (`ClientProtocol.task`). */
  body: Body
  preset: Generation['preset']
  /** Fields of the preset that an upstream of the client's protocol does not get, because only chats have them. */
  skippedPresetFields: readonly string[] | undefined
  /** The protocol of the response. */
  client: ClientProtocol
}

/** Replaces fields and forms that only some clients use by the usual ones. */
function normalizeBody(body: Body, { protocol }: ClientProtocol): Body {
  const current = withToolResults(applyLitellmFields(body))
  return protocol === 'openai-chat'
    ? withoutEmptySettings(withChatToolChoice(withChatParts(withCallIds(withChatTools(current)))))
    : current
}

/** Prepares a request without waiting; undefined if it names a preset. @throws Fault `invalid` for unsupported fields. */
export function prepareWithoutPreset({
  client,
  body: requestBody,
}: Pick<CompletionCall, 'client' | 'body'>): PreparedRequest | undefined {
  const body = normalizeBody(requestBody, client)
  return readPresetReference(body) ? undefined : prepareBody(client, body)
}

/** The chat request of a body. Bodies of chats have the parts of chats already (`normalizeBody`). */
export function translateBody(client: ClientProtocol, body: Body): ChatRequest {
  const chat = client.toChat(body)
  return client.protocol === 'openai-chat' ? chat : (withChatParts(chat) as ChatRequest)
}

function prepareBody(client: ClientProtocol, body: Body): PreparedRequest {
  const chat = translateBody(client, body)
  const clientBody = client.task === undefined ? body : chat
  return { chat, body: clientBody, preset: undefined, skippedPresetFields: undefined, client }
}

/**
 * Applies the preset that the request names. Guardrails and the plan see the result, so the settings of a preset are
 * treated like those of a client.
 * @throws Fault `not_found` for a preset that cannot be used, `invalid` for fields that are not supported.
 */
export async function prepareRequest(
  deps: { presets: PresetCache },
  { caller, client, body: requestBody }: Pick<CompletionCall, 'caller' | 'client' | 'body'>,
): Promise<PreparedRequest> {
  const body = normalizeBody(requestBody, client)
  const reference = readPresetReference(body)
  if (!reference) return prepareBody(client, body)
  const preset = await deps.presets.find(caller.workspaceId, reference.slug)
  const version =
    reference.version === undefined
      ? preset.designated_version
      : await deps.presets.findVersion(preset, reference.version)
  const mergedBody = applyPreset(version, reference.bodyWithoutPreset, client.preset)
  const chat = translateBody(client, mergedBody)
  const clientBody = client.task === undefined ? mergedBody : chat
  const upstreamBody = client.preset.forUpstream?.(mergedBody, reference.bodyWithoutPreset)
  return {
    chat,
    body: upstreamBody ?? clientBody,
    preset: { id: preset.id, slug: preset.slug, version: version.version },
    skippedPresetFields: upstreamBody && findRemovedFields(mergedBody, upstreamBody),
    client,
  }
}

const findRemovedFields = (before: Body, after: Body): string[] =>
  findSetFields(
    before,
    Object.keys(before).filter((name) => !(name in after)),
  )
