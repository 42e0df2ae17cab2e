/**
 * Names for the most tokens of an answer, in all protocols and servers. Only one counts: the first that has a limit.
 */
const limitNames = ['max_output_tokens', 'max_completion_tokens', 'max_tokens', 'max_new_tokens', 'n_predict'] as const
export type LimitName = (typeof limitNames)[number]

const limitNameSet: ReadonlySet<string> = new Set(limitNames)

export function isAnswerLimit(name: string): boolean {
  return limitNameSet.has(name)
}

/**
 * The answer limit of a request. A value below 1 means no limit: some servers use it for "without end", and presets may
 * contain it.
 */
export function answerLimitOf(request: object): number | undefined {
  for (const name of limitNames) {
    const limit = (request as Record<string, unknown>)[name]
    if (Number.isSafeInteger(limit) && (limit as number) >= 1) return limit as number
  }
  return undefined
}

/** The changes that leave the limit under only this name; undefined for removed fields. */
export function limitUnder(request: object, as: LimitName): Record<string, number | undefined> {
  const changes: Record<string, number | undefined> = {}
  for (const name of limitNames) if (name in request) changes[name] = undefined
  const limit = answerLimitOf(request)
  if (limit !== undefined) changes[as] = limit
  return changes
}

/** Leaves the limit under this one name: an upstream that obeyed another one would not keep to what was set aside. */
export function nameLimit(request: Record<string, unknown>, as: LimitName): void {
  const limit = answerLimitOf(request)
  for (const name of limitNames) if (name in request) request[name] = undefined
  if (limit !== undefined) request[as] = limit
}
