import type { ChatRequest } from '#chat/chat-request.ts'
import type { AnswerEvent } from '#chat/events.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import { AnswerText } from '#spend/contents/answer-text.ts'
import type { Content, ContentError } from '#spend/contents/content.ts'
import { Cutter } from '#spend/contents/cut.ts'
import type { ContentKeeper } from '#spend/contents/keeper.ts'
import type { AttemptNote, Generation } from '#spend/ledger/generation.ts'
import type { PolicyDecision } from '../admission/policy.ts'

/** Where contents are kept, and how much of each, of what is asked and of what is answered. */
export type KeepContents = { keeper: Pick<ContentKeeper, 'keep'>; mostBytes: number }

/**
 * Collects the content of a request that is to be kept. Undefined where nothing is kept: the workspace does not want it,
 * the request is not in the sample, or nothing of it may be retained.
 */
export function contentToKeep(
  contents: KeepContents | undefined,
  caller: Pick<Caller, 'keptShare'>,
  id: string,
  { chat, retainsNothing }: Pick<PolicyDecision, 'chat' | 'retainsNothing'>,
): KeptContent | undefined {
  if (!contents || !caller.keptShare || retainsNothing || chat.provider?.zdr) return undefined
  return isSampled(id, caller.keptShare.rate) ? new KeptContent(contents, chat) : undefined
}

/** The end of an id is as good as chance. */
function isSampled(id: string, rate: number): boolean {
  return rate >= 1 || Number.parseInt(id.slice(-8), 16) / 2 ** 32 < rate
}

export class KeptContent {
  readonly #contents: KeepContents
  readonly #chat: ChatRequest
  #answer: AnswerText

  /** @param chat as guardrails let it through. */
  constructor(contents: KeepContents, chat: ChatRequest) {
    this.#contents = contents
    this.#chat = chat
    this.#answer = new AnswerText(contents.mostBytes)
  }

  /** Collects the answer of one attempt, which is the only one that the client sees. */
  collecting(count: (events: AnswerEvent[]) => void): (events: AnswerEvent[]) => void {
    const answer = new AnswerText(this.#contents.mostBytes)
    this.#answer = answer
    return (events) => {
      count(events)
      answer.take(events)
    }
  }

  /** The request is over. What was refused, or ended because a rule forbids it now, leaves nothing behind. */
  close(generation: Generation): void {
    const { outcome, cause, caller, id, createdAt } = generation
    if (outcome === 'refused' || cause?.rule !== undefined || cause?.guardrailId !== undefined) return
    const { organizationId, workspaceId, keyHash, userId } = caller
    this.#contents.keeper.keep({ id, organizationId, workspaceId, keyHash, userId, createdAt }, this.#read(generation))
  }

  #read(generation: Generation): Content {
    const { mostBytes } = this.#contents
    const [asked, said] = [new Cutter(mostBytes), new Cutter(mostBytes)]
    const { completion, reasoning, calls } = this.#answer.read()
    return {
      input: { messages: asked.messages(this.#chat.messages), parameters: parametersOf(this.#chat, mostBytes) },
      output: {
        completion: completion === null ? null : said.text(completion),
        tool_calls: said.value(calls) as Content['output']['tool_calls'],
        reasoning: reasoning === null ? null : said.text(reasoning),
      },
      error: errorOf(generation),
      truncated: asked.isCut || said.isCut,
    }
  }
}

/** All that it takes to ask the same again; half of that would be another request. */
function parametersOf(chat: ChatRequest, mostBytes: number): object | null {
  const { messages: _said, model: _asked, stream: _how, stream_options: _told, ...parameters } = chat
  const cutter = new Cutter(mostBytes)
  const kept = cutter.value(parameters) as object
  return cutter.isCut ? null : kept
}

/** In words of ours: what a provider said may repeat what it was asked, or hold what must not be told. */
function errorOf({ outcome, cause, provider, attempts }: Generation): ContentError | null {
  if (outcome !== 'failed') return null
  const kind = cause?.kind
  const status = kind === undefined ? null : kind === 'internal' ? 500 : faultStatus[kind]
  return {
    message: cause?.message ?? kind ?? null,
    status,
    provider_name: provider ?? attempts.at(-1)?.provider ?? null,
    raw: null,
    previous_errors: attempts.slice(0, -1).flatMap(failedAttempt),
  }
}

function failedAttempt({ outcome, reason, provider }: AttemptNote): ContentError['previous_errors'] {
  if (outcome === 'answered' || outcome === 'client_left') return []
  const code = outcome === 'broke' ? 502 : outcome === 'circuit_open' ? 503 : faultStatus[outcome]
  return [{ code, message: reason ?? outcome, provider_name: provider, raw: null }]
}
