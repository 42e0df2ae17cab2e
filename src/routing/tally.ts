import type { FinishReason } from '#chat/chunk.ts'
import type { AnswerEvent, Extras, TokenCounts } from '#chat/events.ts'

/** What is counted while an answer goes by. */
export type Tally = {
  tokens: TokenCounts
  /** What was billed besides: the upstream's own count of pieces where it told one, else those that went by. */
  extras: Extras | undefined
  /** Whether the tokens are the upstream's own count, or estimated from the text that went by. */
  estimated: boolean
  finish: FinishReason | undefined
  nativeFinish: string | undefined
  toolCalls: number
  upstreamId: string | undefined
  upstreamModel: string | undefined
  /** When the first piece of the answer came, in milliseconds since the epoch. */
  firstTokenAt: number | undefined
}

const charactersPerToken = 4

export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

/** Upstreams answer what they like, whatever the protocol says; and a name that is kept and looked up is a short one. */
const lengthOf = (text: unknown) => (typeof text === 'string' ? text.length : 0)
const nameIn = (text: unknown) => (typeof text === 'string' && text ? text.slice(0, longestName) : undefined)
const longestName = 256

function extrasOf(passed: Record<string, number> | undefined, told: Extras | undefined): Extras | undefined {
  return passed ? { ...told, pieces: { ...passed, ...told?.pieces } } : told
}

export function createTally(now: () => number) {
  let characters = 0
  let reasoningCharacters = 0
  let told: TokenCounts | undefined
  let toldExtras: Extras | undefined
  let passed: Record<string, number> | undefined
  const tally = { finish: undefined, nativeFinish: undefined, toolCalls: 0 } as Partial<Tally>

  return {
    count(events: AnswerEvent[]): void {
      for (const event of events) {
        switch (event.type) {
          case 'started':
            tally.upstreamId ??= nameIn(event.id)
            tally.upstreamModel ??= nameIn(event.model)
            break
          case 'text':
          case 'refusal':
          case 'tool_arguments':
            tally.firstTokenAt ??= now()
            characters += lengthOf(event.text)
            break
          case 'reasoning':
            tally.firstTokenAt ??= now()
            characters += lengthOf(event.text)
            reasoningCharacters += lengthOf(event.text)
            break
          case 'tool_call':
            tally.firstTokenAt ??= now()
            tally.toolCalls = (tally.toolCalls ?? 0) + 1
            characters += lengthOf(event.name)
            break
          case 'usage':
            told = event.tokens
            toldExtras = event.extras ?? toldExtras
            break
          case 'piece':
            passed ??= {}
            passed[event.unit] = (passed[event.unit] ?? 0) + 1
            break
          case 'finish':
            tally.finish = event.reason
            tally.nativeFinish = nameIn(event.native)
            break
          case 'error':
            tally.finish = 'error'
            break
          default:
            event satisfies never
        }
      }
    },
    /** @param promptCharacters what the estimate of the prompt goes by, when the upstream told nothing. */
    result(promptCharacters: number): Tally {
      const estimate = {
        prompt: estimateTokens(promptCharacters),
        completion: estimateTokens(characters),
        cached: 0,
        cacheWritten: 0,
        reasoning: estimateTokens(reasoningCharacters),
      }
      return {
        ...(tally as Tally),
        tokens: told ?? estimate,
        extras: extrasOf(passed, toldExtras),
        estimated: told === undefined,
      }
    },
  }
}
