import { parseEventObject } from '../../../protocol/passthrough-rewriter.ts'
import { choiceIndexOf, type RawChoice } from './raw-choice.ts'

/** The first deltas in an event. `lacksRole` is undefined if none of them lacks a role. */
type FoundDeltas = { isFirstOfStream: boolean; lacksRole?: (choiceIndex: number) => boolean }

/** Finds the first delta of each choice of a stream, which must have a role. */
export class FirstDeltas {
  readonly #choiceCount: number
  readonly #startedChoices = new Set<number>()
  #hasDelta = false

  /** @param choiceCount the number of choices that the client requested. */
  constructor(choiceCount: unknown) {
    this.#choiceCount = Number(choiceCount) || 1
  }

  /** @param text the JSON of an event from the choices on or from an earlier field. @param raw the bytes of the event. */
  take(text: string, raw: Buffer): FoundDeltas {
    const areAllStarted = this.#choiceCount > 1 ? this.#startedChoices.size >= this.#choiceCount : this.#hasDelta
    if (areAllStarted || !deltaPattern.test(text)) return noDeltas
    const isFirstOfStream = !this.#hasDelta
    this.#hasDelta = true
    if (this.#choiceCount > 1) return { isFirstOfStream, ...this.#findMissingRoles(raw) }
    return rolePattern.test(text) ? { isFirstOfStream } : { isFirstOfStream, lacksRole: () => true }
  }

  #findMissingRoles(raw: Buffer): Pick<FoundDeltas, 'lacksRole'> {
    const { choices } = parseEventObject(raw) as { choices?: (RawChoice | null)[] | null }
    const withoutRole = new Set<number>()
    for (const [position, choice] of (choices ?? []).entries()) {
      const choiceIndex = choiceIndexOf(choice ?? {}, position, 'delta')
      if (!choice?.delta || this.#startedChoices.has(choiceIndex)) continue
      this.#startedChoices.add(choiceIndex)
      if (!choice.delta.role) withoutRole.add(choiceIndex)
    }
    return withoutRole.size > 0 ? { lacksRole: (choiceIndex) => withoutRole.has(choiceIndex) } : {}
  }
}

const noDeltas: FoundDeltas = { isFirstOfStream: false }

/** A role that is neither null nor empty. */
const rolePattern = /"role"\s*:\s*"[^"]/

const deltaPattern = /"delta"\s*:\s*\{/
