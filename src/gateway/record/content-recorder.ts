import type { ChatRequest } from '#chat/chat-request.ts'
import type { CompletionEvent } from '#chat/events.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import type { Content, ContentError } from '#spend/contents/content.ts'
import { ContentTruncator } from '#spend/contents/content-truncator.ts'
import type { ContentWriter } from '#spend/contents/content-writer.ts'
import { ResponseContentCollector } from '#spend/contents/response-content-collector.ts'
import type { AttemptNote, Generation } from '#spend/ledger/generation.ts'
import type { PolicyDecision } from '../admission/policy.ts'

/** Where contents are stored, and the most bytes of each prompt and response. */
export type ContentStorage = { writer: Pick<ContentWriter, 'enqueue'>; maxBytes: number }

/**
 * Collects the content of a request to store it. Undefined if nothing is stored: the workspace stores no content, the
 * request is not in the sample, or a guardrail forbids storage.
 */
export function createContentRecorder(
  contents: ContentStorage | undefined,
  caller: Pick<Caller, 'storedShare'>,
  id: string,
  { chat, isStorageForbidden }: Pick<PolicyDecision, 'chat' | 'isStorageForbidden'>,
): ContentRecorder | undefined {
  if (!contents || !caller.storedShare || isStorageForbidden || chat.provider?.zdr) return undefined
  return isSampled(id, caller.storedShare.rate) ? new ContentRecorder(contents, chat) : undefined
}

/** The number of random hexadecimal digits at the end of an id that decide about the sample. */
const sampleDigits = 8

function isSampled(id: string, rate: number): boolean {
  return rate >= 1 || Number.parseInt(id.slice(-sampleDigits), 16) / 16 ** sampleDigits < rate
}

export class ContentRecorder {
  readonly #contents: ContentStorage
  readonly #chat: ChatRequest
  #response: ResponseContentCollector

  /** @param chat the request after content filters. */
  constructor(contents: ContentStorage, chat: ChatRequest) {
    this.#contents = contents
    this.#chat = chat
    this.#response = new ResponseContentCollector(contents.maxBytes)
  }

  /**
   * Starts to collect the response of an attempt; that of an earlier attempt is dropped, because the client does not see it.
   * @returns a function that counts events with `count` and collects them.
   */
  startResponse(count: (events: CompletionEvent[]) => void): (events: CompletionEvent[]) => void {
    const response = new ResponseContentCollector(this.#contents.maxBytes)
    this.#response = response
    return (events) => {
      count(events)
      response.addEvents(events)
    }
  }

  /** Stores the content when the request is over. Refused requests, and those that a rule ended, are not stored. */
  close(generation: Generation): void {
    const { outcome, cause, caller, id, createdAt } = generation
    if (outcome === 'refused' || cause?.rule !== undefined || cause?.guardrailId !== undefined) return
    const { organizationId, workspaceId, keyHash, userId } = caller
    this.#contents.writer.enqueue(
      { id, organizationId, workspaceId, keyHash, userId, createdAt },
      this.#toContent(generation),
    )
  }

  #toContent(generation: Generation): Content {
    const { maxBytes } = this.#contents
    const promptTruncator = new ContentTruncator(maxBytes)
    const responseTruncator = new ContentTruncator(maxBytes)
    const { completion, reasoning, calls } = this.#response.toContent()
    return {
      input: {
        messages: promptTruncator.copyMessages(this.#chat.messages),
        parameters: copyParameters(this.#chat, maxBytes),
      },
      output: {
        completion: completion === null ? null : responseTruncator.copyText(completion),
        tool_calls: responseTruncator.copy(calls) as Content['output']['tool_calls'],
        reasoning: reasoning === null ? null : responseTruncator.copyText(reasoning),
      },
      error: describeError(generation),
      truncated: promptTruncator.isTruncated || responseTruncator.isTruncated,
    }
  }
}

/** The parameters that reproduce the request; null if they are too long, because a part would be another request. */
function copyParameters(chat: ChatRequest, maxBytes: number): object | null {
  const { messages: _1, model: _2, stream: _3, stream_options: _4, ...parameters } = chat
  const truncator = new ContentTruncator(maxBytes)
  const storedParameters = truncator.copy(parameters) as object
  return truncator.isTruncated ? null : storedParameters
}

/** The error in this service's words, because a provider's message can repeat the prompt or contain secrets. */
function describeError({ outcome, cause, provider, attempts }: Generation): ContentError | null {
  if (outcome !== 'failed') return null
  const kind = cause?.kind
  let status: number | null = null
  if (kind !== undefined) status = kind === 'internal' ? 500 : faultStatus[kind]
  return {
    message: cause?.message ?? kind ?? null,
    status,
    provider_name: provider ?? attempts.at(-1)?.provider ?? null,
    raw: null,
    previous_errors: attempts.slice(0, -1).flatMap(toPreviousErrors),
  }
}

function toPreviousErrors({ outcome, reason, provider }: AttemptNote): ContentError['previous_errors'] {
  if (outcome === 'answered' || outcome === 'client_left') return []
  const statusOf = { broke: 502, circuit_open: 503, ...faultStatus }
  const code = statusOf[outcome]
  return [{ code, message: reason ?? outcome, provider_name: provider, raw: null }]
}
