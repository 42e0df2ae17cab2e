import { readUserNames } from '#identity/accounts/account-names.ts'
import type { Entry } from '#interns/contract/transcript.ts'
import type { MemberNames } from '#interns/turns/entry-item.ts'
import type { ApiDeps } from '../access/deps.ts'

/** The names of members who answered questions, cached for one list or stream of entries. */
export class AnswererNames {
  readonly #deps: Pick<ApiDeps, 'db' | 'log'>
  readonly #organizationId: string
  readonly #names = new Map<string, string | null>()

  constructor(deps: Pick<ApiDeps, 'db' | 'log'>, organizationId: string) {
    this.#deps = deps
    this.#organizationId = organizationId
  }

  /** Reads the names of the members who answered questions. If the database is unreachable, their entries have no names. */
  async read(entries: readonly Entry[]): Promise<MemberNames> {
    const ids = entries.flatMap((entry) => answererIdOf(entry) ?? []).filter((id) => !this.#names.has(id))
    if (ids.length === 0) return this.#names
    try {
      const found = await readUserNames(this.#deps.db, this.#organizationId, ids)
      for (const id of ids) this.#names.set(id, found.get(id)?.name || found.get(id)?.email || null)
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the names of members who answered an intern could not be read')
    }
    return this.#names
  }
}

const answererIdOf = (entry: Entry) =>
  entry.type === 'question' && entry.answer.state === 'answered' ? entry.answer.by : undefined
