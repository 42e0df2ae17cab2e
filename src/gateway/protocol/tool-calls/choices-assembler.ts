import type { CompletionEvent } from '#chat/events.ts'
import type { ResponseContext } from '../provider-protocol.ts'
import { ToolCallAssembler } from './assembler.ts'
import type { UpstreamEvent } from './fragment.ts'

/**
 * Assembles the tool calls of a response with one or several choices, separately for each choice. Calls are numbered
 * within their choice.
 * @throws Error as `ToolCallAssembler` does.
 */
export class ChoicesAssembler {
  readonly #context: ResponseContext
  /** Apart from the others, because almost all responses have one choice. */
  readonly #firstChoice: ToolCallAssembler
  #furtherChoices: Map<number, ToolCallAssembler> | undefined

  constructor(context: ResponseContext) {
    this.#context = context
    this.#firstChoice = new ToolCallAssembler(context)
  }

  /** @param upstreamEvents the content of one event of the upstream. */
  push(upstreamEvents: UpstreamEvent[]): CompletionEvent[] {
    if (this.#furtherChoices === undefined && !upstreamEvents.some(isFurtherChoice))
      return this.#firstChoice.push(upstreamEvents)
    const { first = [], further = [] } = Object.groupBy(upstreamEvents, (event) =>
      isFurtherChoice(event) ? 'further' : 'first',
    )
    const choices = [...Map.groupBy(further, ({ choice = 0 }) => choice)]
    return [
      ...this.#firstChoice.push(first),
      ...choices.flatMap(([choice, events]) => this.#assembleChoice(choice, events)),
    ]
  }

  /** Completes all calls after the last event of the upstream. */
  finish(): CompletionEvent[] {
    if (!this.#furtherChoices) return this.#firstChoice.finish()
    const furtherEvents = [...this.#furtherChoices].flatMap(([choice, calls]) => withChoice(calls.finish(), choice))
    return [...this.#firstChoice.finish(), ...furtherEvents]
  }

  #assembleChoice(choice: number, events: readonly UpstreamEvent[]): CompletionEvent[] {
    const choiceEvents = events.map((event) => withChoiceInResponseId(event, choice))
    return withChoice(this.#findOrCreateAssembler(choice).push(choiceEvents), choice)
  }

  #findOrCreateAssembler(choice: number): ToolCallAssembler {
    this.#furtherChoices ??= new Map()
    const existing = this.#furtherChoices.get(choice)
    if (existing) return existing
    const { responseId } = this.#context
    const created = new ToolCallAssembler({ ...this.#context, responseId: responseId && `${responseId}_${choice}` })
    this.#furtherChoices.set(choice, created)
    return created
  }
}

const isFurtherChoice = ({ choice = 0 }: UpstreamEvent) => choice > 0

/** Generated ids include the choice, so that they differ between choices. */
function withChoiceInResponseId(event: UpstreamEvent, choice: number): UpstreamEvent {
  if (event.type !== 'call_fragment' || !event.responseId) return event
  return { ...event, responseId: `${event.responseId}_${choice}` }
}

const withChoice = (events: CompletionEvent[], choice: number) =>
  events.map((event): CompletionEvent => ({ ...event, choice }))
