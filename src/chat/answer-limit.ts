/**
 * What protocols and servers call the most tokens that an answer may have. One of them counts: the first that holds a
 * limit at all.
 */
const limitNames = ['max_output_tokens', 'max_completion_tokens', 'max_tokens', 'max_new_tokens', 'n_predict'] as const
export type LimitName = (typeof limitNames)[number]

const known: ReadonlySet<string> = new Set(limitNames)

export function isAnswerLimit(name: string): boolean {
  return known.has(name)
}

/** What is below 1, as it may stand in a preset, limits nothing: some servers take it for "without end". */
export function answerLimitOf(request: object): number | undefined {
  for (const name of limitNames) {
    const limit = (request as Record<string, unknown>)[name]
    if (Number.isSafeInteger(limit) && (limit as number) >= 1) return limit as number
  }
  return undefined
}

/** Leaves the limit under this one name: an upstream that obeyed another one would not keep to what was set aside. */
export function nameLimit(request: Record<string, unknown>, as: LimitName): void {
  const limit = answerLimitOf(request)
  for (const name of limitNames) if (name in request) request[name] = undefined
  if (limit !== undefined) request[as] = limit
}
